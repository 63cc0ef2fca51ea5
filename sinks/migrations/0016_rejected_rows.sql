-- A pool's row that was rejected does not stand in what analysts read, as a rejected learning does not.
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
FROM pool AS l FINAL
WHERE state != 'rejected';

-- back
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
