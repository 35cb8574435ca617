"""Who has signed in to the pages."""

from alembic import op

revision = "0011"
down_revision = "0010"

SIGN_INS = (
    "CREATE TABLE IF NOT EXISTS sign_ins (id {text} PRIMARY KEY, ends BIGINT NOT NULL, record {text} NOT NULL){without}"
)
OF_SQLITE = {"text": "TEXT", "without": " WITHOUT ROWID"}
OF_POSTGRESQL = {"text": 'TEXT COLLATE "C"', "without": ""}


def upgrade() -> None:
    """Make the table."""
    op.execute(SIGN_INS.format(**(OF_SQLITE if op.get_context().dialect.name == "sqlite" else OF_POSTGRESQL)))


def downgrade() -> None:
    """Drop it: whoever is signed in signs in anew."""
    op.execute("DROP TABLE IF EXISTS sign_ins")
