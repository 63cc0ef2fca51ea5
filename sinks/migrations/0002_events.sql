-- What happened: runs, outcomes, exposures, findings; how each message ended; what was decided; who there is.
CREATE TABLE IF NOT EXISTS principals
(
    org LowCardinality(String),
    agent LowCardinality(String),
    home_space LowCardinality(String),
    producer LowCardinality(String),
    hosted Bool,
    shared_learning Nullable(Bool),
    tools Array(LowCardinality(String)),
    revision UInt64,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, agent)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS episodes
(
    org LowCardinality(String),
    agent LowCardinality(String),
    run_id String,
    parent_run_id String,
    session LowCardinality(String),
    work_area LowCardinality(String),
    space LowCardinality(String),
    attempt Int32,
    started_at DateTime64(3, 'UTC'),
    ended_at DateTime64(3, 'UTC'),
    times_told Bool,
    producer LowCardinality(String),
    model LowCardinality(String),
    runtime LowCardinality(String),
    environment Map(String, String),
    exit_status String,
    cue String,
    steps Array(Tuple(kind LowCardinality(String), role LowCardinality(String), at Nullable(DateTime64(3, 'UTC')), duration_ms Nullable(Int64),
        call_id String, tool LowCardinality(String), input String, output String, status LowCardinality(String), exit_code Nullable(Int32))) CODEC(ZSTD(3)),
    tools Array(LowCardinality(String)),
    recall_ids Array(String),
    received_at DateTime64(3, 'UTC'),
    CONSTRAINT org_given CHECK org != ''
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (org, agent, run_id)
SETTINGS non_replicated_deduplication_window = 1000;

-- A claim without an org cannot be written (SPEC 8.1).
CREATE TABLE IF NOT EXISTS claims
(
    org LowCardinality(String),
    agent LowCardinality(String),
    claim_id String,
    entity String,
    key LowCardinality(String),
    value String,
    privacy LowCardinality(String) DEFAULT 'agent_specific',
    run_id String,
    received_at DateTime64(3, 'UTC'),
    CONSTRAINT org_given CHECK org != ''
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (org, agent, claim_id)
SETTINGS non_replicated_deduplication_window = 1000;

-- Every arrival of an outcome on an agent's log; which of them counted, the receipts tell (v_outcomes).
CREATE TABLE IF NOT EXISTS outcomes
(
    org LowCardinality(String),
    agent LowCardinality(String),
    outcome_id String,
    receipt String,
    epoch LowCardinality(String),
    run_id String,
    at DateTime64(3, 'UTC'),
    at_told Bool,
    received_at DateTime64(3, 'UTC'),
    result LowCardinality(String),
    score Nullable(Float64),
    scorer LowCardinality(String),
    amends String,
    verified_by LowCardinality(String),
    attested_by LowCardinality(String),
    causal_confidence Float64,
    recall_ids Array(String),
    parts UInt32
)
ENGINE = ReplacingMergeTree
ORDER BY (org, agent, outcome_id, receipt, epoch)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS credits
(
    org LowCardinality(String),
    agent LowCardinality(String),
    outcome_id String,
    receipt String,
    epoch LowCardinality(String),
    part UInt32,
    own Bool,
    subject String,
    entry_key LowCardinality(String),
    wording String,
    version Nullable(UInt32),
    applied Bool,
    helpful LowCardinality(String),
    result LowCardinality(String),
    at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, agent, outcome_id, receipt, epoch, part)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS exposures
(
    org LowCardinality(String),
    agent LowCardinality(String),
    recall_id String,
    rank UInt32,
    ref String,
    own Bool,
    subject String,
    scope LowCardinality(String),
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, agent, recall_id, rank)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS findings
(
    org LowCardinality(String),
    agent LowCardinality(String),
    subject String,
    subject_kind LowCardinality(String),
    field LowCardinality(String),
    layer LowCardinality(String),
    kind LowCardinality(String),
    severity LowCardinality(String),
    hard Bool,
    start UInt64,
    end UInt64,
    receipt String,
    epoch LowCardinality(String),
    ordinal UInt32,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, agent, receipt, epoch, ordinal)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS receipts
(
    id String,
    part LowCardinality(String),
    org LowCardinality(String),
    agent LowCardinality(String),
    end LowCardinality(String),
    reason LowCardinality(String),
    at DateTime64(3, 'UTC'),
    revision UInt64
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (id, part)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS decisions
(
    org LowCardinality(String),
    decision_id String,
    chain LowCardinality(String),
    actor LowCardinality(String),
    decision LowCardinality(String),
    subject String,
    reason String,
    figures Map(String, String),
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, decision_id)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS journal
(
    org LowCardinality(String),
    chain LowCardinality(String),
    sequence UInt64,
    decision_id String,
    actor LowCardinality(String),
    decision LowCardinality(String),
    subject String,
    reason String,
    figures Map(String, String),
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, chain, sequence)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS dead_letters
(
    id String,
    part LowCardinality(String),
    topic LowCardinality(String),
    epoch LowCardinality(String),
    partition UInt32,
    offset UInt64,
    reason LowCardinality(String),
    field String,
    excerpt String,
    org LowCardinality(String),
    agent LowCardinality(String),
    at DateTime64(3, 'UTC'),
    replayable_until DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (topic, partition, offset, epoch, part)
SETTINGS non_replicated_deduplication_window = 1000;

-- back
DROP TABLE IF EXISTS dead_letters;
DROP TABLE IF EXISTS journal;
DROP TABLE IF EXISTS decisions;
DROP TABLE IF EXISTS receipts;
DROP TABLE IF EXISTS findings;
DROP TABLE IF EXISTS exposures;
DROP TABLE IF EXISTS credits;
DROP TABLE IF EXISTS outcomes;
DROP TABLE IF EXISTS claims;
DROP TABLE IF EXISTS episodes;
DROP TABLE IF EXISTS principals;
