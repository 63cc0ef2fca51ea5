-- What a wording means, for recall by meaning (TIDEGATE_MEANING). A vector belongs to a wording, as its postings do; small granules, since
-- fifty are read from fifty places.
CREATE TABLE IF NOT EXISTS vectors
(
    org LowCardinality(String),
    model LowCardinality(String),
    id UInt64,
    v FixedString(256) CODEC(NONE)
)
ENGINE = ReplacingMergeTree
ORDER BY (org, model, id)
SETTINGS index_granularity = 64, non_replicated_deduplication_window = 1000;

-- back
DROP TABLE IF EXISTS vectors;
