"""The tables as they were when migrations began: version 8, of SQLite alone."""

revision = "0008"
down_revision = None


def upgrade() -> None:
    """Do nothing: `sqlite_database` brings older files here."""


def downgrade() -> None:
    """Do nothing: there is no way further back."""
