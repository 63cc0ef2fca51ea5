-- Who there is, with keys and roles (docs/identity.md). A key that was revoked stays, so that its row takes the place of the one before.
CREATE TABLE IF NOT EXISTS identities
(
    org LowCardinality(String),
    principal String,
    kind LowCardinality(String),
    home_space LowCardinality(String),
    roles Array(Tuple(role LowCardinality(String), space String)),
    revision UInt64,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, principal)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS identity_keys
(
    org LowCardinality(String),
    principal String,
    key_id String,
    secret_hash String,
    attests LowCardinality(String),
    added_at DateTime64(3, 'UTC'),
    revoked_at Nullable(DateTime64(3, 'UTC')),
    revision UInt64
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (key_id, org, principal)
SETTINGS non_replicated_deduplication_window = 1000;

-- back
DROP TABLE IF EXISTS identity_keys;
DROP TABLE IF EXISTS identities;
