"""The trace log: one JSON line per request, in `{home}/logs/traces.jsonl`."""

import json
import os
from pathlib import Path

import orjson

from khub.components.home import hub_home
from khub.components.text.masked_secrets import may_hold_secrets, record_without_secrets
from khub.server.traces.rotating_lines import append_line
from khub.server.traces.summary import MASKED
from khub.server.traces.trace_record import TraceRecord
from khub.server.traces.warn_once import warn_once

LEVELS = ("off", "minimal", "standard", "verbose")
TEXTS = ("standard", "verbose")
"""Levels at which a question stands in a trace."""
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, default=str)
MAX_BYTES = 64 * 1024 * 1024
KEPT_FILES = 17
"""16 full files are 1 GiB: more than 50,000 questions of about 18 kB. The first one is being filled."""


def trace_path() -> Path:
    """Return where traces are written; the file need not exist yet."""
    return hub_home() / "logs" / "traces.jsonl"


def trace_level() -> str:
    """Return `$KHUB_TRACE`: what a trace holds.

    - `off`: nothing is written;
    - `minimal`: names, times and counts, no text of a question or a document;
    - `standard` (default): also the question, what it was asked with, and the ids, ranks and scores of each stage's
      documents (20 at most);
    - `verbose`: also texts, cut at 500 characters (4,000 of what a model is asked and says).

    Any other value counts as `standard`, with one warning. With `$KHUB_TRACE_MASK` the levels above `minimal` are one,
    `masked`: ids, ranks, scores and short labels of known kinds, and of all other texts the length alone.
    """
    level = (os.environ.get("KHUB_TRACE") or "standard").strip().lower()
    if level not in LEVELS:
        warn_once("level", f"KHUB_TRACE is '{level}': set it to one of {', '.join(LEVELS)}; 'standard' is used")
        level = "standard"
    return MASKED if level in TEXTS and os.environ.get("KHUB_TRACE_MASK", "").strip() not in ("", "0") else level


def write_trace(record: TraceRecord) -> None:
    """Append one request's record; a failure is logged once and never raised, since no request may fail for it."""
    try:
        line = _line(record)
        if may_hold_secrets(line):
            line = _JSON.encode(record_without_secrets(json.loads(line)))
        append_line(trace_path(), line, MAX_BYTES, KEPT_FILES)
    except (OSError, TypeError, ValueError, RecursionError) as error:
        warn_once("write", f"traces cannot be written to {trace_path()}: {error}")


def _line(record: TraceRecord) -> str:
    try:
        return orjson.dumps(record, default=str).decode()  # ten times as fast as the standard library
    except TypeError:  # it knows no halves of characters, no keys that are no text, no numbers beyond 64 bits
        return _JSON.encode(record)
