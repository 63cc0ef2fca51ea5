-- What outcomes moved (SPEC 5.4), and which of them never counted.
ALTER TABLE entries ADD COLUMN IF NOT EXISTS moves Array(Tuple(
    outcome_id String, result LowCardinality(String), helpful LowCardinality(String), weight Nullable(Float64),
    mass_success Float64, mass_failure Float64, confidence_before Float64, confidence_after Float64)) AFTER confidence_before;

ALTER TABLE learnings ADD COLUMN IF NOT EXISTS moves Array(Tuple(
    outcome_id String, result LowCardinality(String), helpful LowCardinality(String), weight Nullable(Float64),
    mass_success Float64, mass_failure Float64, confidence_before Float64, confidence_after Float64)) AFTER confidence_before;

-- As before, with the column above.
CREATE OR REPLACE VIEW entry_versions AS
SELECT
    * EXCEPT (stored_state, stored_confidence, newest_wording, stored_candidate),
    toLowCardinality(multiIf(stored_state = 'active' AND wording != newest_wording, 'superseded', expired, 'archived', stored_state)) AS state,
    if(expired, 0.0, stored_confidence) AS confidence,
    stored_candidate AND NOT expired AS candidate
FROM
(
    SELECT
        * EXCEPT (state, confidence),
        candidate AS stored_candidate,
        state AS stored_state,
        confidence AS stored_confidence,
        at AS valid_from,
        leadInFrame(at, 1, toDateTime64('2299-12-31 23:59:59.999', 3, 'UTC')) OVER versions AS valid_to,
        last_value(wording) OVER versions AS newest_wording,
        last_value(version) OVER versions = version AND state = 'active' AND ifNull(ttl_at <= now64(3, 'UTC'), false) AS expired
    FROM entries FINAL
    WINDOW versions AS (PARTITION BY org, agent, learning_id ORDER BY version ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
);

-- Messages that did not count as a whole: parked (late, in conflict, amending what is not kept …), or nothing but a repeat (SPEC 5.2, 5.10).
CREATE OR REPLACE VIEW outcomes_ignored AS
SELECT id AS receipt
FROM dead_letters FINAL
WHERE topic = 'outcomes' AND part = 'message'
UNION ALL
SELECT id AS receipt
FROM receipts FINAL
WHERE startsWith(id, 'outcomes:')
GROUP BY id
HAVING countIf(end = 'duplicate') > 0 AND countIf(end NOT IN ('duplicate', 'refused')) = 0;

-- Version by version: each outcome that moved a learning's evidence, each write and other event that made a version, and each credit that
-- moved nothing. `step` orders the rows of a version: 0 its event, then outcomes, then what moved nothing while it was in force.
CREATE OR REPLACE VIEW evidence AS
WITH
    ['created', 'restated', 'rewritten', 'rolled_back'] AS writes,
    idle AS
    (
        SELECT c.org AS org, c.agent AS agent, c.subject AS learning_id, c.outcome_id AS outcome_id, c.part AS part,
            c.result AS result, c.helpful AS helped, r.at AS at, if(r.reason = '', r.end, r.reason) AS reason
        FROM (SELECT * FROM credits FINAL WHERE own AND receipt NOT IN (SELECT receipt FROM outcomes_ignored)) AS c
        INNER JOIN (SELECT id, part, end, reason, at FROM receipts FINAL WHERE end != 'stored' OR reason != '') AS r
            ON r.id = c.receipt AND r.part = concat('credit:', toString(c.part))
    )
SELECT
    org, agent, branch, entry_key, learning_id, version, toUInt32(n) AS step, at, cause,
    if(n = 0, cause_id, move.1) AS cause_id, toLowCardinality(move.2) AS result, toLowCardinality(move.3) AS helped, move.4 AS weight,
    multiIf(n = 0, confidence_before, n > 1, moves[n - 1].8, state = 'archived', confidence_before, move.7) AS confidence_before,
    multiIf(n = length(moves), confidence, n = 0, moves[1].7, move.8) AS confidence,
    multiIf(n > 0, move.5, empty(moves), mass_success, 0.0) AS mass_success,
    multiIf(n > 0, move.6, empty(moves), mass_failure, 0.0) AS mass_failure,
    applied, helpful, success_count, failure_count, evidence_status, toLowCardinality('') AS reason, state
FROM
(
    SELECT *, n, moves[n] AS move
    FROM entry_versions
    ARRAY JOIN arrayFilter(i -> i > 0 OR empty(moves) OR has(writes, cause), range(length(moves) + 1)) AS n
)
UNION ALL
SELECT
    v.org, v.agent, v.branch, v.entry_key, v.learning_id, v.version, toUInt32(1000 + i.part), i.at, toLowCardinality('nothing'),
    i.outcome_id, i.result, i.helped, NULL, v.confidence, v.confidence, v.mass_success, v.mass_failure,
    v.applied, v.helpful, v.success_count, v.failure_count, v.evidence_status, i.reason, v.state
FROM idle AS i
ASOF INNER JOIN entry_versions AS v ON v.org = i.org AND v.agent = i.agent AND v.learning_id = i.learning_id AND i.at >= v.at;

CREATE OR REPLACE VIEW v_evidence AS
SELECT
    org, agent, branch, entry_key, version, step, cause, cause_id, result, helped, weight, confidence_before, confidence,
    confidence - confidence_before AS moved, mass_success, mass_failure, applied, helpful, success_count, failure_count, evidence_status,
    reason, at, toDate(at, 'UTC') AS day
FROM evidence
WHERE state NOT IN ('held', 'rejected') AND (org, learning_id) NOT IN (SELECT org, learning_id FROM learnings_unseen);

-- back
DROP VIEW IF EXISTS v_evidence;
DROP VIEW IF EXISTS evidence;
CREATE OR REPLACE VIEW outcomes_ignored AS
SELECT id AS receipt
FROM (SELECT id, end, end = 'duplicate' OR reason IN ('conflict', 'late_outcome', 'late_amendment') AS ignored FROM receipts FINAL WHERE startsWith(id, 'outcomes:'))
GROUP BY id
HAVING countIf(ignored) > 0 AND countIf(NOT ignored AND end != 'refused') = 0;
CREATE OR REPLACE VIEW entry_versions AS
SELECT
    * EXCEPT (stored_state, stored_confidence, newest_wording, stored_candidate, moves),
    toLowCardinality(multiIf(stored_state = 'active' AND wording != newest_wording, 'superseded', expired, 'archived', stored_state)) AS state,
    if(expired, 0.0, stored_confidence) AS confidence,
    stored_candidate AND NOT expired AS candidate
FROM
(
    SELECT
        * EXCEPT (state, confidence),
        candidate AS stored_candidate,
        state AS stored_state,
        confidence AS stored_confidence,
        at AS valid_from,
        leadInFrame(at, 1, toDateTime64('2299-12-31 23:59:59.999', 3, 'UTC')) OVER versions AS valid_to,
        last_value(wording) OVER versions AS newest_wording,
        last_value(version) OVER versions = version AND state = 'active' AND ifNull(ttl_at <= now64(3, 'UTC'), false) AS expired
    FROM entries FINAL
    WINDOW versions AS (PARTITION BY org, agent, learning_id ORDER BY version ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
);
ALTER TABLE learnings DROP COLUMN IF EXISTS moves;
ALTER TABLE entries DROP COLUMN IF EXISTS moves;
