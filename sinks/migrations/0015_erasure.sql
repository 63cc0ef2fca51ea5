-- What was erased, and by which stand-ins it is found (SPEC 8.3, 8.4). Rows go by themselves: see sinks/erasure.py.
ALTER TABLE episodes ADD COLUMN IF NOT EXISTS entities Array(String);

ALTER TABLE claims ADD COLUMN IF NOT EXISTS entity_id String;

ALTER TABLE dead_letters ADD COLUMN IF NOT EXISTS entities Array(String);

CREATE TABLE IF NOT EXISTS erased
(
    org LowCardinality(String),
    erasure String,
    entity String,
    partition UInt32,
    requested_by String,
    episodes UInt64,
    claims UInt64,
    outcomes UInt64,
    waiting UInt64,
    learnings UInt64,
    credits UInt64,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, erasure, partition)
SETTINGS non_replicated_deduplication_window = 1000;

-- Runs whose episodes went: what else tells of them goes too, also where it arrives later.
CREATE TABLE IF NOT EXISTS erased_runs
(
    org LowCardinality(String),
    agent LowCardinality(String),
    run_id String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, agent, run_id);

CREATE OR REPLACE VIEW v_erasures AS
SELECT
    org, erasure, entity, any(requested_by) AS requested_by, sum(episodes) AS episodes, sum(claims) AS claims, sum(outcomes) AS outcomes,
    sum(waiting) AS waiting, sum(learnings) AS learnings, sum(credits) AS credits, count() AS partitions, min(at) AS requested_at,
    toDate(min(at), 'UTC') AS day
FROM erased FINAL
GROUP BY org, erasure, entity;

-- back

DROP VIEW IF EXISTS v_erasures;
DROP TABLE IF EXISTS erased_runs;
DROP TABLE IF EXISTS erased;
ALTER TABLE dead_letters DROP COLUMN IF EXISTS entities;
ALTER TABLE claims DROP COLUMN IF EXISTS entity_id;
ALTER TABLE episodes DROP COLUMN IF EXISTS entities;
