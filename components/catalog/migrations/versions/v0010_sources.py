"""Sources beside folders, and what was read of each."""

from alembic import op

revision = "0010"
down_revision = "0009"

SOURCES = (
    "CREATE TABLE IF NOT EXISTS sources (key {text} PRIMARY KEY, collection {text} NOT NULL, address {text} NOT NULL, "
    "next_at {text}, record {text} NOT NULL{order})"
)
ITEMS = (
    "CREATE TABLE IF NOT EXISTS source_items (key {text} NOT NULL REFERENCES sources(key), item {text} NOT NULL, "
    "path {text} NOT NULL, version {text}, url {text} NOT NULL, modified {text}, PRIMARY KEY (key, item)){without}"
)
BY_PATH = "CREATE INDEX IF NOT EXISTS source_items_by_path ON source_items (path)"
OF_SQLITE = {"text": "TEXT", "order": "", "without": " WITHOUT ROWID"}
OF_POSTGRESQL = {
    "text": 'TEXT COLLATE "C"', "order": ", rowid BIGINT GENERATED ALWAYS AS IDENTITY", "without": "",
}  # fmt: skip


def upgrade() -> None:
    """Make the tables."""
    words = OF_SQLITE if op.get_context().dialect.name == "sqlite" else OF_POSTGRESQL
    for statement in (SOURCES, ITEMS, BY_PATH):
        op.execute(statement.format(**words))


def downgrade() -> None:
    """Drop them: what was read becomes documents of files that nobody syncs."""
    op.execute("DROP TABLE IF EXISTS source_items")
    op.execute("DROP TABLE IF EXISTS sources")
