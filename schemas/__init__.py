"""The forms of Tidegate's records: schemas, codec, typed records, ids and the partition that each record goes to."""
