-- A dead letter says as what its message was sent again.
ALTER TABLE dead_letters ADD COLUMN IF NOT EXISTS replayed_as String;

CREATE OR REPLACE VIEW v_dead_letters AS
SELECT
    org, offset AS seq, at, agent AS actor, toLowCardinality('dead_lettered') AS decision, id AS subject, reason,
    part, topic, partition, offset, field, excerpt, replayable_until, replayed_as, toDate(at, 'UTC') AS day
FROM dead_letters FINAL;

-- back
CREATE OR REPLACE VIEW v_dead_letters AS
SELECT
    org, offset AS seq, at, agent AS actor, toLowCardinality('dead_lettered') AS decision, id AS subject, reason,
    part, topic, partition, offset, field, excerpt, replayable_until, toDate(at, 'UTC') AS day
FROM dead_letters FINAL;

ALTER TABLE dead_letters DROP COLUMN IF EXISTS replayed_as;
