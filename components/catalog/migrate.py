"""From one version of the tables to another, and back, as a catalog of an earlier version meets when it is opened."""

import io
from pathlib import Path

FIRST = 8
FOLDER = Path(__file__).with_name("migrations")


def steps(dialect: str, before: int, after: int) -> str:
    """Return the statements that bring the tables from one version to another.

    :param dialect: `sqlite` or `postgresql`.
    """
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    written = io.StringIO()
    context = MigrationContext.configure(dialect_name=dialect, opts={"as_sql": True, "output_buffer": written})
    found = ScriptDirectory(FOLDER).iterate_revisions(f"{max(before, after):04}", f"{min(before, after):04}")
    revisions = list(found)  # the last one first
    with Operations.context(context):
        for revision in reversed(revisions) if after > before else revisions:
            (revision.module.upgrade if after > before else revision.module.downgrade)()
    return written.getvalue()
