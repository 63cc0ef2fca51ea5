-- Outcomes without credits have none; credits that went no further have a row; a run that came again is scanned again, and shows once.
CREATE OR REPLACE VIEW v_outcomes AS
SELECT
    org, agent, outcome_id, run_id, result, score, scorer, amends, verified_by, attested_by, causal_confidence, recall_ids,
    if(receipt IN (SELECT id FROM receipts FINAL WHERE part = 'outcome'), toUInt32(0), parts) AS credits,
    at, at_told, received_at, toDate(at, 'UTC') AS day
FROM outcomes FINAL
WHERE receipt NOT IN (SELECT receipt FROM outcomes_ignored);

CREATE OR REPLACE VIEW v_credits AS
SELECT
    c.org AS org, c.agent AS agent, c.outcome_id AS outcome_id, c.part AS part, c.own AS own, c.subject AS subject,
    toLowCardinality(if(c.entry_key != '', toString(c.entry_key), toString(l.entry_key))) AS entry_key,
    c.version AS version, c.applied AS applied, c.helpful AS helpful, c.result AS result,
    r.end AS end, r.reason AS reason, c.at AS at, c.received_at AS received_at, toDate(c.at, 'UTC') AS day
FROM (SELECT * FROM credits FINAL WHERE receipt NOT IN (SELECT receipt FROM outcomes_ignored)) AS c
LEFT JOIN (SELECT org, learning_id, entry_key FROM learnings FINAL) AS l ON l.org = c.org AND l.learning_id = c.subject
LEFT JOIN (SELECT id, part, end, reason FROM receipts FINAL) AS r ON r.id = c.receipt AND r.part = concat('credit:', toString(c.part))
WHERE (c.org, c.subject) NOT IN (SELECT org, learning_id FROM learnings_unseen)
UNION ALL
-- A ref that was not taken, a learning credited twice: the scan sends these no further, so that the receipt alone tells of them.
SELECT
    o.org AS org, o.agent AS agent, o.outcome_id AS outcome_id, r.n AS part, false AS own, '' AS subject, toLowCardinality('') AS entry_key,
    CAST(NULL, 'Nullable(UInt32)') AS version, false AS applied, toLowCardinality('') AS helpful, o.result AS result,
    r.end AS end, r.reason AS reason, o.at AS at, o.received_at AS received_at, toDate(o.at, 'UTC') AS day
FROM (SELECT * FROM outcomes FINAL WHERE receipt NOT IN (SELECT receipt FROM outcomes_ignored)) AS o
INNER JOIN
(
    SELECT id, toUInt32OrZero(substring(part, 8)) AS n, end, reason
    FROM receipts FINAL
    WHERE startsWith(part, 'credit:') AND reason IN ('bad_ref', 'same_subject')
) AS r ON r.id = o.receipt
WHERE (o.receipt, r.n) NOT IN (SELECT receipt, part FROM credits);

CREATE OR REPLACE VIEW v_findings AS
SELECT org, agent, subject, subject_kind, field, layer, kind, severity, hard, start, end, at, toDate(at, 'UTC') AS day
FROM findings FINAL
WHERE (org, subject) NOT IN (SELECT org, learning_id FROM learnings_unseen)
  AND receipt NOT IN (SELECT id FROM receipts FINAL WHERE part = 'episode' AND end = 'duplicate')
  AND receipt NOT IN (SELECT receipt FROM outcomes_ignored);

CREATE OR REPLACE VIEW v_refused AS
SELECT org, agent, id AS receipt, part, reason, at, toDate(at, 'UTC') AS day
FROM receipts FINAL
WHERE end = 'refused';

-- back
DROP VIEW IF EXISTS v_refused;

CREATE OR REPLACE VIEW v_findings AS
SELECT org, agent, subject, subject_kind, field, layer, kind, severity, hard, start, end, at, toDate(at, 'UTC') AS day
FROM findings FINAL
WHERE (org, subject) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_credits AS
SELECT
    c.org AS org, c.agent AS agent, c.outcome_id AS outcome_id, c.part AS part, c.own AS own, c.subject AS subject,
    toLowCardinality(if(c.entry_key != '', toString(c.entry_key), toString(l.entry_key))) AS entry_key,
    c.version AS version, c.applied AS applied, c.helpful AS helpful, c.result AS result,
    r.end AS end, r.reason AS reason, c.at AS at, c.received_at AS received_at, toDate(c.at, 'UTC') AS day
FROM (SELECT * FROM credits FINAL WHERE receipt NOT IN (SELECT receipt FROM outcomes_ignored)) AS c
LEFT JOIN (SELECT org, learning_id, entry_key FROM learnings FINAL) AS l ON l.org = c.org AND l.learning_id = c.subject
LEFT JOIN (SELECT id, part, end, reason FROM receipts FINAL) AS r ON r.id = c.receipt AND r.part = concat('credit:', toString(c.part))
WHERE (c.org, c.subject) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_outcomes AS
SELECT
    org, agent, outcome_id, run_id, result, score, scorer, amends, verified_by, attested_by, causal_confidence, recall_ids,
    parts AS credits, at, at_told, received_at, toDate(at, 'UTC') AS day
FROM outcomes FINAL
WHERE receipt NOT IN (SELECT receipt FROM outcomes_ignored);
