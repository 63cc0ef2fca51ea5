-- Learnings and pools. Two tables each: every version, and the newest (readers keep the highest revision, SPEC 2.8).
-- An empty string is a text that the record does not have; JSON text is never empty.
-- Recall looks up a few of the newest by key: small granules, so that it reads little beside them.
CREATE TABLE IF NOT EXISTS entries
(
    org LowCardinality(String),
    agent LowCardinality(String),
    learning_id String,
    branch LowCardinality(String),
    entry_key LowCardinality(String),
    version UInt32,
    revision UInt64,
    rule String,
    value String,
    cue String,
    tools Array(LowCardinality(String)),
    goal_phrases Array(String),
    memory_type LowCardinality(String),
    kind LowCardinality(String),
    privacy LowCardinality(String),
    producer LowCardinality(String),
    run_id String,
    session LowCardinality(String),
    written_at DateTime64(3, 'UTC'),
    pattern_refs Array(String),
    work_area LowCardinality(String),
    space LowCardinality(String),
    home_space LowCardinality(String),
    is_artifact Bool,
    ttl_at Nullable(DateTime64(3, 'UTC')),
    importance Nullable(Float64),
    value_bindings Array(String),
    environment Map(String, String),
    applies_to String,
    prior Float64,
    confidence Float64,
    applied UInt64,
    helpful UInt64,
    success_count UInt64,
    failure_count UInt64,
    mass_success Float64,
    mass_failure Float64,
    evidence_status LowCardinality(String),
    trust LowCardinality(String),
    independent UInt64,
    validators UInt32,
    state LowCardinality(String),
    crossing LowCardinality(String),
    visibility LowCardinality(String),
    tier UInt8,
    recall_count UInt64,
    cause LowCardinality(String),
    cause_id String,
    cause_by LowCardinality(String),
    confidence_before Nullable(Float64),
    floor_stated LowCardinality(String),
    floored_to LowCardinality(String),
    floor_reason String,
    floor_lifted_by LowCardinality(String),
    contradicts Array(String),
    hold String,
    wording String,
    gate Array(Tuple(condition LowCardinality(String), holds Bool, figure String, needed String)),
    candidate Bool MATERIALIZED notEmpty(gate) AND arrayAll(c -> tupleElement(c, 'holds'), gate),
    at DateTime64(3, 'UTC'),
    CONSTRAINT org_given CHECK org != ''
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, agent, learning_id, version)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS learnings AS entries
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, agent, learning_id)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS counters
(
    org LowCardinality(String),
    agent LowCardinality(String),
    learning_id String,
    revision UInt64,
    recall_count UInt64,
    tier UInt8,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, agent, learning_id)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS shared
(
    org LowCardinality(String),
    space LowCardinality(String),
    shared_id String,
    version UInt32,
    revision UInt64,
    ref String,
    rule String,
    value String,
    tools Array(LowCardinality(String)),
    memory_type LowCardinality(String),
    kind LowCardinality(String),
    environment Map(String, String),
    applies_to String,
    prior Float64,
    confidence Float64,
    evidence_status LowCardinality(String),
    trust LowCardinality(String),
    applied UInt64,
    helpful UInt64,
    success_count UInt64,
    failure_count UInt64,
    validators UInt32,
    independent UInt64,
    state LowCardinality(String),
    crossing LowCardinality(String),
    visibility LowCardinality(String),
    provisional Bool,
    contradicts Array(String),
    aliases Array(String),
    wording String,
    cause LowCardinality(String),
    cause_id String,
    cause_by LowCardinality(String),
    confidence_before Nullable(Float64),
    at DateTime64(3, 'UTC'),
    INDEX kinds kind TYPE set(8) GRANULARITY 32,
    CONSTRAINT org_given CHECK org != ''
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, space, shared_id, version)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS pool AS shared
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, space, shared_id)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS pool_members
(
    org LowCardinality(String),
    space LowCardinality(String),
    shared_id String,
    member String,
    role LowCardinality(String),
    verdict LowCardinality(String),
    present Bool,
    revision UInt64,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, member, space, shared_id)
SETTINGS non_replicated_deduplication_window = 1000;

-- back
DROP TABLE IF EXISTS pool_members;
DROP TABLE IF EXISTS pool;
DROP TABLE IF EXISTS shared;
DROP TABLE IF EXISTS counters;
DROP TABLE IF EXISTS learnings;
DROP TABLE IF EXISTS entries;
