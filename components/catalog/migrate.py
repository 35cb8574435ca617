"""From one version of the tables to another, and back: `python -m khub.components.catalog.migrate VERSION`.

It is what a catalog of an earlier version meets when it is opened. Going back is for whoever has to return to an
earlier release; nobody may use the catalog meanwhile.
"""

import io
import sys
from pathlib import Path

from khub.components.catalog.database import SCHEMA_VERSION
from khub.components.errors import KhubError, OptionError

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


def main(words: list[str]) -> None:
    """Bring the catalog of the hub in use to a version."""
    from khub.components.catalog.catalog import open_catalog

    if len(words) != 1 or not words[0].isdecimal() or not FIRST <= int(words[0]) <= SCHEMA_VERSION:
        raise OptionError(f"the version is {' '.join(words)!r}", f"name one from {FIRST} to {SCHEMA_VERSION}")
    open_catalog().database.change_version(int(words[0]))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KhubError as error:
        sys.exit(f"khub: {error}")
