-- Views for analysts (docs/views.md). Names without "v_" are steps that the views share.

-- Newest version of each learning as it reads now: past its ttl_at it is archived and its confidence 0.0, before the timer comes by too (SPEC 2.9).
CREATE OR REPLACE VIEW learnings_now AS
SELECT
    * EXCEPT (stored_state, stored_confidence, stored_candidate, stored_gate),
    toLowCardinality(if(expired, 'archived', stored_state)) AS state,
    if(expired, 0.0, stored_confidence) AS confidence,
    stored_candidate AND NOT expired AS candidate,
    arrayMap(c -> if(expired AND c.1 = 'state', (c.1, false, 'archived', c.4), (c.1, c.2, c.3, c.4)), stored_gate) AS gate
FROM
(
    SELECT
        l.* EXCEPT (state, confidence, tier, recall_count, gate),
        l.state AS stored_state,
        l.confidence AS stored_confidence,
        l.candidate AS stored_candidate,
        l.gate AS stored_gate,
        l.state = 'active' AND ifNull(l.ttl_at <= now64(3, 'UTC'), false) AS expired,
        if(c.revision > l.revision, c.tier, l.tier) AS tier,
        greatest(c.recall_count, l.recall_count) AS recall_count
    FROM learnings AS l FINAL
    LEFT JOIN (SELECT org, agent, learning_id, revision, tier, recall_count FROM counters FINAL) AS c
        ON c.org = l.org AND c.agent = l.agent AND c.learning_id = l.learning_id
);

-- What nobody but its author, reviewers and operators may know of (SPEC 4.4).
CREATE OR REPLACE VIEW learnings_unseen AS
SELECT org, learning_id FROM learnings FINAL WHERE state IN ('held', 'rejected');

-- Every version as it reads now: versions of an old wording read superseded (SPEC 2.9).
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

CREATE OR REPLACE VIEW v_learnings AS
SELECT
    org, agent, branch, entry_key, version, rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count, confidence, evidence_status, trust, independent, tier, recall_count,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day
FROM learnings_now
WHERE state NOT IN ('held', 'rejected');

CREATE OR REPLACE VIEW v_entry_versions AS
SELECT
    org, agent, branch, entry_key, version, rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count, confidence, evidence_status, trust, independent, tier, recall_count,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day,
    cause, cause_id, cause_by, valid_from, valid_to
FROM entry_versions
WHERE state NOT IN ('held', 'rejected') AND (org, learning_id) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_pool AS
SELECT
    org, space, ref, rule, tools, memory_type, kind, trust, confidence, evidence_status, validators, independent,
    applied, helpful, success_count, failure_count, version, state, crossing, visibility, provisional, at AS updated_at, toDate(at, 'UTC') AS day
FROM pool FINAL;

CREATE OR REPLACE VIEW v_runs AS
SELECT
    org, agent, run_id, parent_run_id, session, work_area, space, attempt, producer, model, runtime, exit_status,
    length(steps) AS steps, countEqual(steps.status, 'error') AS failed_steps, tools, recall_ids,
    started_at, ended_at, times_told, received_at, toDate(started_at, 'UTC') AS day
FROM episodes FINAL;

-- Messages that did not count as a whole: sent twice, in conflict with an earlier one, or too late (SPEC 5.2, 5.10).
CREATE OR REPLACE VIEW outcomes_ignored AS
SELECT id AS receipt
FROM (SELECT id, end, end = 'duplicate' OR reason IN ('conflict', 'late_outcome', 'late_amendment') AS ignored FROM receipts FINAL WHERE startsWith(id, 'outcomes:'))
GROUP BY id
HAVING countIf(ignored) > 0 AND countIf(NOT ignored AND end != 'refused') = 0;

CREATE OR REPLACE VIEW v_outcomes AS
SELECT
    org, agent, outcome_id, run_id, result, score, scorer, amends, verified_by, attested_by, causal_confidence, recall_ids,
    parts AS credits, at, at_told, received_at, toDate(at, 'UTC') AS day
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
WHERE (c.org, c.subject) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_exposures AS
SELECT org, agent, recall_id, rank, ref, own, subject, scope, at, toDate(at, 'UTC') AS day
FROM exposures FINAL
WHERE (org, subject) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_findings AS
SELECT org, agent, subject, subject_kind, field, layer, kind, severity, hard, start, end, at, toDate(at, 'UTC') AS day
FROM findings FINAL
WHERE (org, subject) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_funnel AS
SELECT org, toLowCardinality(space) AS space, toDate(at, 'UTC') AS day, toLowCardinality(stage) AS stage, count() AS n
FROM
(
    SELECT r.org AS org, if(p.home_space = '', 'personal', toString(p.home_space)) AS space, r.at AS at, stage
    FROM (SELECT org, agent, at, end FROM receipts FINAL WHERE startsWith(id, 'runs:') AND startsWith(part, 'learning:') AND end != 'duplicate') AS r
    LEFT JOIN (SELECT org, agent, home_space FROM principals FINAL) AS p ON p.org = r.org AND p.agent = r.agent
    ARRAY JOIN if(r.end IN ('stored', 'held'), ['proposed', 'stored'], ['proposed']) AS stage
    UNION ALL
    SELECT org, toString(argMin(home_space, version)) AS space, min(entries.at) AS at, stage
    FROM entries FINAL
    ARRAY JOIN arrayConcat(
        if(applied > 0, ['applied'], []),
        arrayMap(c -> concat('clears_', toString(c.1)), arrayFilter(c -> c.2, gate)),
        if(candidate, ['candidate'], [])) AS stage
    WHERE (org, learning_id) NOT IN (SELECT org, learning_id FROM learnings_unseen)
    GROUP BY org, agent, learning_id, stage
    UNION ALL
    SELECT org, toString(space) AS space, min(shared.at) AS at, toString(crossing) AS stage
    FROM shared FINAL
    WHERE crossing IN ('promoted', 'withdrawn')
    GROUP BY org, space, shared_id, crossing
    UNION ALL
    SELECT org, toString(space) AS space, at, 'corroborated' AS stage
    FROM shared FINAL
    WHERE cause = 'corroborated'
)
GROUP BY org, space, day, stage;

CREATE OR REPLACE VIEW v_gate_misses AS
SELECT org, agent, branch, entry_key, toLowCardinality(tupleElement(c, 1)) AS condition, tupleElement(c, 3) AS figure, tupleElement(c, 4) AS needed, at AS updated_at, toDate(at, 'UTC') AS day
FROM learnings_now
ARRAY JOIN gate AS c
WHERE NOT tupleElement(c, 2) AND state NOT IN ('held', 'rejected');

CREATE OR REPLACE VIEW v_decisions AS
SELECT org, sequence AS seq, at, actor, decision, subject, reason, figures, toDate(at, 'UTC') AS day
FROM journal FINAL
WHERE chain = 'public';

CREATE OR REPLACE VIEW v_dead_letters AS
SELECT
    org, offset AS seq, at, agent AS actor, toLowCardinality('dead_lettered') AS decision, id AS subject, reason,
    part, topic, partition, offset, field, excerpt, replayable_until, toDate(at, 'UTC') AS day
FROM dead_letters FINAL;

-- back
DROP VIEW IF EXISTS v_dead_letters;
DROP VIEW IF EXISTS v_decisions;
DROP VIEW IF EXISTS v_gate_misses;
DROP VIEW IF EXISTS v_funnel;
DROP VIEW IF EXISTS v_findings;
DROP VIEW IF EXISTS v_exposures;
DROP VIEW IF EXISTS v_credits;
DROP VIEW IF EXISTS v_outcomes;
DROP VIEW IF EXISTS outcomes_ignored;
DROP VIEW IF EXISTS v_runs;
DROP VIEW IF EXISTS v_pool;
DROP VIEW IF EXISTS v_entry_versions;
DROP VIEW IF EXISTS v_learnings;
DROP VIEW IF EXISTS entry_versions;
DROP VIEW IF EXISTS learnings_unseen;
DROP VIEW IF EXISTS learnings_now;
