-- What importance was judged by (SPEC 2.2), where its author gave none.
ALTER TABLE entries ADD COLUMN IF NOT EXISTS dimensions Array(Tuple(name LowCardinality(String), figure Float64)) AFTER importance;

ALTER TABLE learnings ADD COLUMN IF NOT EXISTS dimensions Array(Tuple(name LowCardinality(String), figure Float64)) AFTER importance;

CREATE OR REPLACE VIEW v_importance AS
SELECT
    org, agent, branch, entry_key, version, importance, toLowCardinality(tupleElement(d, 1)) AS dimension, tupleElement(d, 2) AS figure,
    at AS updated_at, toDate(at, 'UTC') AS day
FROM learnings FINAL
ARRAY JOIN dimensions AS d
WHERE state NOT IN ('held', 'rejected');

-- back
DROP VIEW IF EXISTS v_importance;
ALTER TABLE learnings DROP COLUMN IF EXISTS dimensions;
ALTER TABLE entries DROP COLUMN IF EXISTS dimensions;
