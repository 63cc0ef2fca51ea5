-- What was erased of the journal's texts: the row that says so takes the text's place.

ALTER TABLE journal_texts ADD COLUMN IF NOT EXISTS erased Bool;

-- back

ALTER TABLE journal_texts DROP COLUMN IF EXISTS erased;
