-- A pool's rows by posting id, each in one column: a look-up of thirty rows pays for every column that it reads, thirty times. What arrives
-- keeps its columns as far as the view, which packs them as a JSON array, in the order that recall reads them in.
CREATE TABLE IF NOT EXISTS pool_rows
(
    org LowCardinality(String),
    space LowCardinality(String),
    id UInt64,
    revision UInt64,
    row String
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, space, id)
SETTINGS index_granularity = 16, min_compress_block_size = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS pool_arrivals
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
ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS pool_packed TO pool_rows AS SELECT
    org, space, id, revision, formatRowNoNewline('JSONCompactEachRow',
    shared_id, crossing, visibility, wording, rule, value, tools, memory_type, kind, space, confidence, evidence_status, trust, applied,
    helpful, success_count, failure_count, state, contradicts, at) AS row
FROM pool_arrivals;

INSERT INTO pool_rows SELECT
    org, space,
    bitXor(reinterpretAsUInt64(reverse(unhex(substring(shared_id, 1, 16)))), reinterpretAsUInt64(reverse(unhex(wording)))),
    revision, formatRowNoNewline('JSONCompactEachRow',
    shared_id, crossing, visibility, wording, rule, value, tools, memory_type, kind, space, confidence, evidence_status, trust, applied,
    helpful, success_count, failure_count, state, contradicts, at)
FROM pool FINAL;

DROP TABLE IF EXISTS pool_by_posting;

-- back
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

DROP VIEW IF EXISTS pool_packed;
DROP TABLE IF EXISTS pool_arrivals;
DROP TABLE IF EXISTS pool_rows;
