"""What every database has: statements and no triggers delete what belongs to a chunk; changes are told to others."""

from alembic import op

revision = "0009"
down_revision = "0008"

TRIGGERS = {
    "images_deleted": "DELETE ON images BEGIN INSERT OR IGNORE INTO unused_images VALUES (OLD.sha256); END",
    "document_deleted": "DELETE ON documents BEGIN DELETE FROM images WHERE doc_id = OLD.doc_id; END",
    "document_published": (
        "UPDATE OF version ON documents BEGIN "
        "DELETE FROM images WHERE doc_id = NEW.doc_id AND version < NEW.version; END"
    ),
    "originals_deleted": (
        "DELETE ON originals BEGIN INSERT OR IGNORE INTO unused_originals VALUES (OLD.sha256, OLD.suffix); END"
    ),
    "original_of_deleted": "DELETE ON documents BEGIN DELETE FROM originals WHERE doc_id = OLD.doc_id; END",
    "original_of_published": (
        "UPDATE OF version ON documents BEGIN "
        "DELETE FROM originals WHERE doc_id = NEW.doc_id AND sha256 IS NOT NEW.sha256; END"
    ),
    "chunk_deleted": (
        "DELETE ON chunks BEGIN DELETE FROM duplicates WHERE chunk_id = OLD.chunk_id AND version = OLD.version; "
        "DELETE FROM keyed_chunks WHERE chunk_id = OLD.chunk_id "
        "AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunk_id = OLD.chunk_id); END"
    ),
    "keyed_chunk_deleted": "DELETE ON keyed_chunks BEGIN DELETE FROM chunk_keys WHERE id = OLD.id; END",
}
"""Of version 8, of SQLite alone."""
CHANGES = (
    "CREATE TABLE IF NOT EXISTS changes (collection TEXT NOT NULL, number BIGINT NOT NULL, chunk_id TEXT NOT NULL, "
    "PRIMARY KEY (collection, number, chunk_id)) WITHOUT ROWID"
)
TOKENS = "CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, record TEXT NOT NULL)"


def upgrade() -> None:
    """Drop the triggers, and make room for what commits changed, and for tokens."""
    if not _is_sqlite():
        return  # it has begun with this version
    for name in TRIGGERS:
        op.execute(f"DROP TRIGGER IF EXISTS {name}")
    op.execute("ALTER TABLE collections ADD COLUMN changes_from BIGINT NOT NULL DEFAULT 0")
    op.execute(CHANGES)
    op.execute(TOKENS)


def downgrade() -> None:
    """Make the triggers again."""
    if not _is_sqlite():
        return
    op.execute("DROP TABLE tokens")
    op.execute("DROP TABLE changes")
    op.execute("ALTER TABLE collections DROP COLUMN changes_from")
    for name, what in TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} AFTER {what}")


def _is_sqlite() -> bool:
    return bool(op.get_context().dialect.name == "sqlite")
