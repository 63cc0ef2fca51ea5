-- Private texts stand sealed: the columns that held them are empty then (SPEC 8.3).
ALTER TABLE episodes ADD COLUMN IF NOT EXISTS sealed String CODEC(ZSTD(1));

ALTER TABLE claims ADD COLUMN IF NOT EXISTS sealed String;

-- back

ALTER TABLE claims DROP COLUMN IF EXISTS sealed;
ALTER TABLE episodes DROP COLUMN IF EXISTS sealed;
