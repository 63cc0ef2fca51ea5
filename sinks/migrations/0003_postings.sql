-- Words to wordings (recall). A posting belongs to a wording, never to a version: evidence moves without touching it.
-- `audience` keeps collections apart: "own:" and the agent, or "pool:" and the space. `wordings` tells the sink what it has written.
CREATE TABLE IF NOT EXISTS postings
(
    org LowCardinality(String),
    h UInt32,
    id UInt64 CODEC(NONE),
    w UInt8 CODEC(NONE),
    audience LowCardinality(String)
)
ENGINE = ReplacingMergeTree
ORDER BY (org, h, audience, id)
SETTINGS index_granularity = 2048, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS wordings
(
    org LowCardinality(String),
    audience LowCardinality(String),
    id UInt64,
    subject String,
    wording String,
    terms UInt16
)
ENGINE = ReplacingMergeTree
ORDER BY (org, audience, id)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000;

-- back
DROP TABLE IF EXISTS wordings;
DROP TABLE IF EXISTS postings;
