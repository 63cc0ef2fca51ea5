-- A pool's rows by the id that their postings have, so that what recall ranked is looked up in one step. A shared id has one wording, so
-- one posting id. Small granules and small blocks: a look-up reads thirty rows from thirty places.
CREATE TABLE IF NOT EXISTS pool_by_posting
(
    org LowCardinality(String),
    space LowCardinality(String),
    id UInt64,
    revision UInt64,
    shared_id String,
    rule String,
    value String,
    tools Array(LowCardinality(String)),
    memory_type LowCardinality(String),
    kind LowCardinality(String),
    confidence Float64,
    evidence_status LowCardinality(String),
    trust LowCardinality(String),
    applied UInt64,
    helpful UInt64,
    success_count UInt64,
    failure_count UInt64,
    state LowCardinality(String),
    crossing LowCardinality(String),
    visibility LowCardinality(String),
    contradicts Array(String),
    wording String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, space, id)
SETTINGS index_granularity = 64, min_compress_block_size = 1024, non_replicated_deduplication_window = 1000;

INSERT INTO pool_by_posting SELECT
    org, space,
    bitXor(reinterpretAsUInt64(reverse(unhex(substring(shared_id, 1, 16)))), reinterpretAsUInt64(reverse(unhex(wording)))),
    revision, shared_id, rule, value, tools, memory_type, kind, confidence, evidence_status, trust, applied, helpful, success_count,
    failure_count, state, crossing, visibility, contradicts, wording, at
FROM pool FINAL;

ALTER TABLE learnings MODIFY SETTING min_compress_block_size = 1024;
ALTER TABLE wordings MODIFY SETTING min_compress_block_size = 1024;

-- back
DROP TABLE IF EXISTS pool_by_posting;
