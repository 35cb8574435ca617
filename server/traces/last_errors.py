"""The last warnings and errors of the application log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from khub.components.catalog.access import caller
from khub.server.traces.app_log import log_path
from khub.server.traces.log_entry import LogEntry
from khub.server.traces.rotating_lines import files_newest_first

LEVELS = frozenset({"WARNING", "ERROR", "CRITICAL"})
READ_BYTES = 1_000_000
"""So much of the end of each file is looked at."""


def last_errors(limit: int) -> list[LogEntry]:
    """Return the newest entries first; none for a caller that may not see everything: a log tells of all callers."""
    found: list[LogEntry] = []
    for entry in _entries() if caller().sees_all else ():
        if entry.get("level") in LEVELS:
            found.append(entry)
            if len(found) == limit:
                break
    return found


def _entries() -> Iterator[LogEntry]:
    for file in files_newest_first(log_path()):
        for line in reversed(_end_of(file)):
            try:
                entry = json.loads(line)
            except ValueError:  # torn, or cut by the limit
                continue
            if isinstance(entry, dict):
                yield cast(LogEntry, entry)


def _end_of(file: Path) -> list[bytes]:
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - READ_BYTES))
            return stream.read().splitlines()
    except FileNotFoundError:  # rotated away at this moment
        return []
