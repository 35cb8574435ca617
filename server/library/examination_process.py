"""A program that examines all collections, repairs them where that is wanted, and writes what it found as JSON."""

import json
import os
import sys

from khub.components.errors import KhubError
from khub.components.private_files import OTHERS
from khub.server.library.doctor import diagnose
from khub.server.traces.app_log import configure_logging

REPAIR = "repair"


def main(repair: bool) -> None:
    """Write what is found to standard output."""
    configure_logging()
    found = [
        {
            "collection": one.findings.collection,
            "healthy": one.healthy,
            "documents": one.findings.documents,
            "chunks": one.findings.chunks,
            "problems": one.findings.problems,
            "notes": one.findings.notes,
            "repaired": one.repaired,
        }
        for one in diagnose(repair=repair)
    ]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    os.umask(OTHERS)
    try:
        main(REPAIR in sys.argv[2:])
    except KhubError as error:
        sys.exit(str(error))
