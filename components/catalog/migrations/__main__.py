"""Bring the catalog in use to a version: `python -m khub.components.catalog.migrations VERSION`.

For whoever has to return to an earlier release; nobody may use the catalog meanwhile.
"""

import sys

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.database import SCHEMA_VERSION
from khub.components.catalog.migrate import FIRST
from khub.components.errors import KhubError, OptionError


def main(words: list[str]) -> None:
    """Bring the catalog to a version.

    :param words: of the command line: the version.
    :raises OptionError: if there is no such version.
    """
    if len(words) != 1 or not words[0].isdecimal() or not FIRST <= int(words[0]) <= SCHEMA_VERSION:
        raise OptionError(f"the version is {' '.join(words)!r}", f"name one from {FIRST} to {SCHEMA_VERSION}")
    open_catalog().database.change_version(int(words[0]))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KhubError as error:
        sys.exit(f"khub: {error}")
