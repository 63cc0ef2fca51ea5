-- The journal, chained and signed (docs/journal.md): what proves its entries, and the texts that they commit to.

ALTER TABLE journal
    ADD COLUMN IF NOT EXISTS previous String,
    ADD COLUMN IF NOT EXISTS commitments Map(String, String),
    ADD COLUMN IF NOT EXISTS key LowCardinality(String),
    ADD COLUMN IF NOT EXISTS signature String;

-- Erasable: without them the chain is as whole as before (SPEC 6.8).
CREATE TABLE IF NOT EXISTS journal_texts
(
    org LowCardinality(String),
    chain LowCardinality(String),
    sequence UInt64,
    name LowCardinality(String),
    text String,
    salt String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, chain, sequence, name)
SETTINGS non_replicated_deduplication_window = 1000;

-- The newest of each chain.
CREATE TABLE IF NOT EXISTS journal_checkpoints
(
    org LowCardinality(String),
    chain LowCardinality(String),
    size UInt64,
    root String,
    at DateTime64(3, 'UTC'),
    key LowCardinality(String),
    signature String
)
ENGINE = ReplacingMergeTree(size)
ORDER BY (org, chain)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS journal_keys
(
    key String,
    public String,
    role LowCardinality(String),
    endorsed_by String,
    endorsement String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (key, role)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS journal_countersignatures
(
    org LowCardinality(String),
    chain LowCardinality(String),
    sequence UInt64,
    subject String,
    key LowCardinality(String),
    signature String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, chain, sequence, key)
SETTINGS non_replicated_deduplication_window = 1000;

-- Promotions that a second gate signed too: a key of the journal's own is none.
CREATE OR REPLACE VIEW journal_countersigned AS
SELECT DISTINCT org, sequence, subject
FROM journal_countersignatures FINAL
WHERE chain = 'public' AND key IN (SELECT key FROM journal_keys FINAL WHERE role = 'countersign')
    AND key NOT IN (SELECT key FROM journal_keys FINAL WHERE role = 'journal');

CREATE OR REPLACE VIEW v_pool AS
WITH
    (SELECT half_lives FROM reading) AS half_lives,
    (SELECT tested_factor FROM reading) AS tested_factor,
    half_lives[toString(memory_type)] * if(success_count + failure_count > 0, tested_factor, 1) AS half_life,
    greatest(0, dateDiff('millisecond', at, now64(3, 'UTC'))) / 86400000 AS age_days
SELECT
    org, space, ref, rule, tools, memory_type, kind, trust,
    if(half_life > 0, l.confidence * pow(0.5, age_days / half_life), l.confidence) AS confidence,
    evidence_status, validators, independent,
    applied, helpful, success_count, failure_count, version, state, crossing, visibility,
    (org, shared_id) NOT IN (SELECT org, subject FROM journal_countersigned) AS provisional,
    at AS updated_at, toDate(at, 'UTC') AS day
FROM pool AS l FINAL;

CREATE OR REPLACE VIEW v_decisions AS
SELECT
    org, sequence AS seq, at, actor, decision, subject, reason, figures,
    decision = 'promoted' AND (org, sequence) NOT IN (SELECT org, sequence FROM journal_countersigned) AS provisional,
    toDate(at, 'UTC') AS day
FROM journal FINAL
WHERE chain = 'public';

-- back
CREATE OR REPLACE VIEW v_decisions AS
SELECT org, sequence AS seq, at, actor, decision, subject, reason, figures, toDate(at, 'UTC') AS day
FROM journal FINAL
WHERE chain = 'public';
CREATE OR REPLACE VIEW v_pool AS
WITH
    (SELECT half_lives FROM reading) AS half_lives,
    (SELECT tested_factor FROM reading) AS tested_factor,
    half_lives[toString(memory_type)] * if(success_count + failure_count > 0, tested_factor, 1) AS half_life,
    greatest(0, dateDiff('millisecond', at, now64(3, 'UTC'))) / 86400000 AS age_days
SELECT
    org, space, ref, rule, tools, memory_type, kind, trust,
    if(half_life > 0, l.confidence * pow(0.5, age_days / half_life), l.confidence) AS confidence,
    evidence_status, validators, independent,
    applied, helpful, success_count, failure_count, version, state, crossing, visibility, provisional, at AS updated_at, toDate(at, 'UTC') AS day
FROM pool AS l FINAL;
DROP VIEW IF EXISTS journal_countersigned;
DROP TABLE IF EXISTS journal_countersignatures;
DROP TABLE IF EXISTS journal_keys;
DROP TABLE IF EXISTS journal_checkpoints;
DROP TABLE IF EXISTS journal_texts;
ALTER TABLE journal
    DROP COLUMN IF EXISTS previous,
    DROP COLUMN IF EXISTS commitments,
    DROP COLUMN IF EXISTS key,
    DROP COLUMN IF EXISTS signature;
