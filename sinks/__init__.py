"""ClickHouse: migrations, the batch writer, recall, the views of analysts."""
