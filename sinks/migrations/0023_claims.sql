-- Why a person should look at a claim; and claims as figures, for their own agent (SPEC 8.1, 8.2). What they say stands sealed.
ALTER TABLE claims ADD COLUMN IF NOT EXISTS reason String;

CREATE OR REPLACE VIEW v_claims AS
SELECT
    org, agent, claim_id, toLowCardinality(if(privacy IN ('shareable', 'sensitive'), toString(privacy), 'agent_specific')) AS privacy, reason, run_id,
    received_at, toDate(received_at, 'UTC') AS day
FROM claims FINAL;

-- back

DROP VIEW IF EXISTS v_claims;
ALTER TABLE claims DROP COLUMN IF EXISTS reason;
