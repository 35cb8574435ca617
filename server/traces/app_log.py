"""The application log: JSON lines in `{home}/logs/app.jsonl`."""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from khub.components.home import hub_home
from khub.components.text.masked_secrets import without_secrets
from khub.server.traces.rotating_lines import append_line
from khub.server.traces.tracer import current_trace_id

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
logger = logging.getLogger(__name__)


def log_path() -> Path:
    """Return where the application log is written; the file need not exist yet."""
    return hub_home() / "logs" / "app.jsonl"


def configure_logging(stderr: bool = False) -> None:
    """Send the process's log records to the application log.

    The level is `$KHUB_LOG_LEVEL` (default INFO). Haystack logs every component run at INFO: it is held to WARNING
    unless the level is DEBUG. Called again, it takes up a changed level; the file never gets a record twice.

    :param stderr: also show records from WARNING up on standard error. Standard output is never touched, since an
        MCP server speaks there.
    """
    name = (os.environ.get("KHUB_LOG_LEVEL") or "INFO").strip().upper()
    level = name if name in LEVELS else "INFO"
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, _AppLogHandler | _StandardErrorHandler)]:
        root.removeHandler(handler)
    root.addHandler(_AppLogHandler())
    if stderr:
        root.addHandler(_StandardErrorHandler())
    root.setLevel(level)
    logging.getLogger("haystack").setLevel(level if level in {"DEBUG", "ERROR", "CRITICAL"} else "WARNING")
    if name != level:
        logger.warning("KHUB_LOG_LEVEL is '%s': set it to one of %s; INFO is used", name, ", ".join(LEVELS))


class _AppLogHandler(logging.Handler):
    """Writes each record as one JSON line; the file may be written by other processes at the same time."""

    _failed = False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            append_line(log_path(), _as_json(record))
        except Exception as error:
            if not self._failed:
                self._failed = True
                sys.stderr.write(f"the application log cannot be written to {log_path()}: {error}\n")


class _StandardErrorHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Shows warnings and errors as one line each."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setLevel(logging.WARNING)
        self.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def _as_json(record: logging.LogRecord) -> str:
    entry: dict[str, str] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": without_secrets(record.getMessage()),
    }
    if trace_id := current_trace_id():
        entry["trace_id"] = trace_id
    if record.exc_info:
        entry["traceback"] = without_secrets(logging.Formatter().formatException(record.exc_info))
    return json.dumps(entry, ensure_ascii=False)
