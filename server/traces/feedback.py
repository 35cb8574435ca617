"""What people said of the passages of an answer: JSON lines in `{home}/logs/feedback.jsonl`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from khub.components.catalog.access import caller
from khub.components.home import hub_home
from khub.server.traces.feedback_entry import FeedbackEntry
from khub.server.traces.rotating_lines import append_line, files_newest_first


def feedback_path() -> Path:
    """Return where it is written; the file need not exist yet."""
    return hub_home() / "logs" / "feedback.jsonl"


def give_feedback(trace_id: str, chunk_id: str, right: bool, note: str = "") -> FeedbackEntry:
    """Write down whether a passage was a right answer; return what was written.

    :raises OSError: if it cannot be written.
    """
    entry: FeedbackEntry = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "caller": caller().name,
        "trace_id": trace_id,
        "chunk_id": chunk_id,
        "right": right,
        "note": note,
    }
    append_line(feedback_path(), json.dumps(entry, ensure_ascii=False))
    return entry


def right_passages(trace_id: str) -> list[str]:
    """Return the passages of a trace that were last called right, the first first."""
    said: dict[str, bool] = {}
    for entry in _entries():
        if entry.get("trace_id") == trace_id:
            said[str(entry["chunk_id"])] = bool(entry["right"])
    return [chunk_id for chunk_id, right in said.items() if right]


def feedback_given() -> list[FeedbackEntry]:
    """Return what was said, the newest first: of it, what the caller may know."""
    who = caller()
    return [entry for entry in _entries() if who.may_know(entry.get("caller"))][::-1]


def _entries() -> Iterator[FeedbackEntry]:
    for file in reversed(files_newest_first(feedback_path())):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:  # a killed process left it
                continue
            if isinstance(entry, dict) and {"trace_id", "chunk_id", "right"} <= entry.keys():
                yield cast(FeedbackEntry, entry)
