"""The trace log: one JSON line per request, in `{home}/logs/traces.jsonl`."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from components.catalog.access import caller
from components.home import hub_home
from server.traces.rotating_lines import append_line, files_newest_first

logger = logging.getLogger(__name__)

LEVELS = ("off", "minimal", "standard", "verbose")
_warned: set[str] = set()


def trace_path() -> Path:
    """Return where traces are written; the file need not exist yet."""
    return hub_home() / "logs" / "traces.jsonl"


def trace_level() -> str:
    """Return `$KHUB_TRACE`: what a trace holds.

    - `off`: nothing is written;
    - `minimal`: names, times and counts, no text of a question or a document;
    - `standard` (default): also the question, and the ids, ranks and scores of each stage's documents (20 at most);
    - `verbose`: also texts, cut at 500 characters.

    Any other value counts as `standard`, with one warning.
    """
    level = (os.environ.get("KHUB_TRACE") or "standard").strip().lower()
    if level in LEVELS:
        return level
    warn_once("level", f"KHUB_TRACE is '{level}': set it to one of {', '.join(LEVELS)}; 'standard' is used")
    return "standard"


def write_trace(record: dict[str, Any]) -> None:
    """Append one request's record; a failure is logged once and never raised, since no request may fail for it."""
    try:
        append_line(trace_path(), json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str))
    except (OSError, TypeError, ValueError, RecursionError) as error:
        warn_once("write", f"traces cannot be written to {trace_path()}: {error}")


def read_traces(limit: int, kind: str | None = None) -> list[dict[str, Any]]:
    """Return the newest records, newest first, across rotated files.

    :param limit: how many at most.
    :param kind: `query`, `verify`, `ingest` or `evaluate`: only these; None: all.
    """
    found: list[dict[str, Any]] = []
    for record in records():
        if len(found) >= limit:
            break
        if kind is None or record.get("kind") == kind:
            found.append(record)
    return found


def find_trace(trace_id_prefix: str) -> dict[str, Any] | None:
    """Return the newest record whose `trace_id` begins so, or None (also for an empty prefix)."""
    if not trace_id_prefix:
        return None
    return next((r for r in records() if str(r.get("trace_id", "")).startswith(trace_id_prefix)), None)


def warn_once(about: str, message: str) -> None:
    """Log a warning the first time that something goes wrong in the process.

    :param about: what goes wrong; later warnings about the same are dropped.
    :param message: the warning.
    """
    if about not in _warned:
        _warned.add(about)
        logger.warning(message)


def records() -> Iterator[dict[str, Any]]:
    """Yield the records that the caller may know, newest first; lines that are torn or no record are passed over."""
    who = caller()
    for file in files_newest_first(trace_path()):
        try:
            lines = file.read_bytes().splitlines()
        except FileNotFoundError:  # rotated away at this moment
            continue
        for line in reversed(lines):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and who.may_know(record.get("caller")):
                yield record
