-- What came over HTTP: writes under an Idempotency-Key with the receipt that each got, and the goals that direct writes told (SPEC 3.12).
CREATE TABLE IF NOT EXISTS requests
(
    org LowCardinality(String),
    request String,
    content String,
    receipt String,
    at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (org, request)
TTL toDateTime(at) + INTERVAL 7 DAY
SETTINGS non_replicated_deduplication_window = 1000;

ALTER TABLE entries ADD COLUMN IF NOT EXISTS source_goal String;

-- back
ALTER TABLE entries DROP COLUMN IF EXISTS source_goal;
DROP TABLE IF EXISTS requests;
