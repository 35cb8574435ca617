"""Ask a process on this machine that has loaded the hub already, so that a command need not load it.

Every process that lives on (`khub serve`, `khub mcp`, `khub chat`) listens at a socket in the hub's folder, which its
owner alone can enter. Nothing that is imported here is heavy.
"""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import khub
from khub.components.home import hub_home
from khub.server.graphs.folder import graph_folder

FOLDER = "run"
SUFFIX = ".sock"
SETTINGS = ("KHUB_ACCESS", "KHUB_ALLOWED_MODULES", "KHUB_TRACE", "KHUB_TRACE_MASK")
"""Variables that decide what is answered, and what is kept of it."""
GREETING_S = 0.5
"""A process that lives says at once whether it answers."""


class AskedNearby(TypedDict):
    """A question, and what has to be the same in both processes.

    :ivar setting: see `own_setting`.
    """

    query: str
    graph: str
    setting: dict[str, str]
    collection: NotRequired[str]
    top_k: NotRequired[int]
    filters: NotRequired[dict[str, Any]]
    legs: NotRequired[list[str]]


def own_setting() -> dict[str, str]:
    """Return what decides, beside the question, what this process would answer."""
    code = Path(khub.__file__)
    setting = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    return {**setting, "code": f"{code} {code.stat().st_mtime_ns}", "graphs": str(graph_folder())}


def answer_nearby(asked: AskedNearby) -> dict[str, Any] | None:
    """Return the JSON of an answer by a process that is loaded; None where none gives one.

    One that would answer otherwise, or meets an error, gives none: the caller then finds out by itself.
    """
    for path in sockets_of(hub_home()):
        with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(GREETING_S)
            try:
                connection.connect(str(path))
            except ConnectionRefusedError:  # its process has gone without a word
                path.unlink(missing_ok=True)
                continue
            connection.sendall(json.dumps(asked).encode() + b"\n")
            with connection.makefile("r", encoding="utf-8", newline="\n") as lines:
                if not json.loads(lines.readline()).get("answers"):
                    continue
                connection.settimeout(None)
                if answer := json.loads(lines.readline()).get("answer"):
                    return dict(answer)
    return None


def sockets_of(home: Path) -> Iterator[Path]:
    """Yield the sockets in a hub's folder, the newest first; none where the system has no such sockets."""
    if not hasattr(socket, "AF_UNIX"):
        return
    with contextlib.suppress(OSError), os.scandir(home / FOLDER) as entries:
        found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(SUFFIX)]
        yield from (Path(path) for _, path in sorted(found, reverse=True))
