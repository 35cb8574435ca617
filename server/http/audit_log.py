"""The audit log: who asked for what, when and from where; JSON lines in `{home}/logs/audit.jsonl`."""

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from khub.components.catalog.access import Caller
from khub.components.home import hub_home
from khub.server.traces.rotating_lines import append_line

KEPT_FILES = 20
MOST_PATH = 500
GONE = 499
"""The status of a request whose client did not wait for the answer."""
logger = logging.getLogger(__name__)


def audit_path() -> Path:
    """Return where it is written; the file need not exist yet."""
    return hub_home() / "logs" / "audit.jsonl"


class Audit:
    """Writes a line for each request; where that fails, the log says so once, and requests go on."""

    _failed = False

    def note(self, who: str, scope: Scope, status: int) -> None:
        """Write down a request that was answered.

        :param who: the name of its token; empty where none was needed, or it was none.
        :param scope: ASGI's; of its path no query string is kept, which may hold what was asked.
        :param status: HTTP's, or `GONE`.
        """
        client = scope.get("client")
        entry = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "who": who,
            "from": client[0] if client else "",
            "method": scope["method"],
            "path": scope["path"][:MOST_PATH],
            "status": status,
        }
        try:
            append_line(audit_path(), json.dumps(entry, ensure_ascii=False), kept_files=KEPT_FILES)
        except OSError as error:
            if not self._failed:
                logger.warning("the audit log cannot be written to %s: %s", audit_path(), error)
            self._failed = True


@dataclass
class AuditLog:
    """Writes a line for each request that it hands on, with the status that was sent."""

    app: ASGIApp
    audit: Audit = field(default_factory=Audit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and write it down."""
        status = GONE

        async def send_noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            self.audit.note(scope["state"].get("caller", Caller()).name, scope, status)
