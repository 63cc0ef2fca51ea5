-- Who sees an organisation's figures (sinks/door.py: his handle says its name by `log_comment`) sees no wording but a pool's.
CREATE OR REPLACE VIEW v_learnings AS
WITH
    (SELECT half_lives FROM reading) AS half_lives,
    (SELECT tested_factor FROM reading) AS tested_factor,
    half_lives[toString(memory_type)] * (1 + log(1 + recall_count)) * if(success_count + failure_count > 0, tested_factor, 1) AS half_life,
    greatest(0, dateDiff('millisecond', at, now64(3, 'UTC'))) / 86400000 AS age_days,
    (SELECT provenance_tiers FROM reading) AS provenance_tiers,
    arrayFirst(p -> startsWith(agent, p.1), provenance_tiers) AS tiers
SELECT
    org, agent, branch, entry_key, version,
    if(getSetting('log_comment') = concat('org:', org), '', rule) AS rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count,
    if(half_life > 0, l.confidence * pow(0.5, age_days / half_life), l.confidence) AS confidence,
    evidence_status, trust, independent, tier, recall_count,
    if(success_count + failure_count > 0, tiers.2, tiers.3) AS provenance_tier,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day
FROM learnings_now AS l
WHERE state NOT IN ('held', 'rejected');

-- Versions stand as they were recorded: their confidence does not decay.
CREATE OR REPLACE VIEW v_entry_versions AS
WITH
    (SELECT provenance_tiers FROM reading) AS provenance_tiers,
    arrayFirst(p -> startsWith(agent, p.1), provenance_tiers) AS tiers
SELECT
    org, agent, branch, entry_key, version,
    if(getSetting('log_comment') = concat('org:', org), '', rule) AS rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count, confidence, evidence_status, trust, independent, tier, recall_count,
    if(success_count + failure_count > 0, tiers.2, tiers.3) AS provenance_tier,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day,
    cause, cause_id, cause_by, valid_from, valid_to
FROM entry_versions
WHERE state NOT IN ('held', 'rejected') AND (org, learning_id) NOT IN (SELECT org, learning_id FROM learnings_unseen);

-- back
CREATE OR REPLACE VIEW v_entry_versions AS
WITH
    (SELECT provenance_tiers FROM reading) AS provenance_tiers,
    arrayFirst(p -> startsWith(agent, p.1), provenance_tiers) AS tiers
SELECT
    org, agent, branch, entry_key, version, rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count, confidence, evidence_status, trust, independent, tier, recall_count,
    if(success_count + failure_count > 0, tiers.2, tiers.3) AS provenance_tier,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day,
    cause, cause_id, cause_by, valid_from, valid_to
FROM entry_versions
WHERE state NOT IN ('held', 'rejected') AND (org, learning_id) NOT IN (SELECT org, learning_id FROM learnings_unseen);

CREATE OR REPLACE VIEW v_learnings AS
WITH
    (SELECT half_lives FROM reading) AS half_lives,
    (SELECT tested_factor FROM reading) AS tested_factor,
    half_lives[toString(memory_type)] * (1 + log(1 + recall_count)) * if(success_count + failure_count > 0, tested_factor, 1) AS half_life,
    greatest(0, dateDiff('millisecond', at, now64(3, 'UTC'))) / 86400000 AS age_days,
    (SELECT provenance_tiers FROM reading) AS provenance_tiers,
    arrayFirst(p -> startsWith(agent, p.1), provenance_tiers) AS tiers
SELECT
    org, agent, branch, entry_key, version, rule, privacy, kind, memory_type, state, crossing, visibility,
    applied, helpful, success_count, failure_count,
    if(half_life > 0, l.confidence * pow(0.5, age_days / half_life), l.confidence) AS confidence,
    evidence_status, trust, independent, tier, recall_count,
    if(success_count + failure_count > 0, tiers.2, tiers.3) AS provenance_tier,
    toUInt8(candidate) AS candidate, home_space, work_area, producer, at AS updated_at, toDate(at, 'UTC') AS day
FROM learnings_now AS l
WHERE state NOT IN ('held', 'rejected');
