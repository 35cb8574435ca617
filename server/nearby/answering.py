"""Answer the questions of commands on this machine in a process that has loaded the hub already."""

import contextlib
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from khub.components.home import hub_home
from khub.components.private_files import OWNERS_FILE, private_folder
from khub.server.nearby.asking import FOLDER, SUFFIX, AskedNearby, own_setting

AT_ONCE = 8
"""Who asks beside so many others loads the hub by itself."""
LONGEST_QUESTION = 1_000_000
READING_S = 5.0
logger = logging.getLogger(__name__)


@contextmanager
def answering_commands() -> Iterator[None]:
    """Listen at a socket of this process in the hub's folder while the block runs.

    Where there is no hub yet, or no such socket can be, commands answer by themselves as ever.
    """
    home = hub_home()
    path = home / FOLDER / f"{os.getpid()}{SUFFIX}"
    if not home.is_dir() or (listener := _listener(path)) is None:
        yield
        return
    setting, free = own_setting(), threading.BoundedSemaphore(AT_ONCE)
    threading.Thread(target=_listen, args=(listener, home, setting, free), name="ask-socket", daemon=True).start()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it wakes the thread that waits
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _listener(path: Path) -> socket.socket | None:
    if not hasattr(socket, "AF_UNIX"):
        return None
    listener = socket.socket(socket.AF_UNIX)
    try:
        private_folder(path.parent)
        path.unlink(missing_ok=True)  # of a process that had the same number
        listener.bind(str(path))
        path.chmod(OWNERS_FILE)
        listener.listen(AT_ONCE)
    except OSError as error:  # the path is too long for a socket, say
        listener.close()
        logger.info("commands are not answered at %s: %s", path, error)
        return None
    return listener


def _listen(listener: socket.socket, home: Path, setting: dict[str, str], free: threading.BoundedSemaphore) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # it is closed
            return
        if not free.acquire(blocking=False):
            connection.close()
            continue
        threading.Thread(target=_serve, args=(connection, home, setting, free), name="asked", daemon=True).start()


def _serve(connection: socket.socket, home: Path, setting: dict[str, str], free: threading.BoundedSemaphore) -> None:
    try:
        with connection, connection.makefile("rw", encoding="utf-8", newline="\n") as lines:
            connection.settimeout(READING_S)
            asked = json.loads(lines.readline(LONGEST_QUESTION))
            answers = asked.get("setting") == setting and _is_answered_here(str(asked["graph"]))
            _say(lines, {"answers": answers})
            if answers:
                _say(lines, {"answer": _answer(asked, home)})
    except (OSError, ValueError, KeyError, AttributeError) as error:  # who asked has gone, or asked nothing
        logger.debug("a command was not answered: %s", error)
    finally:
        free.release()


def _say(lines: IO[str], value: dict[str, Any]) -> None:
    lines.write(json.dumps(value, ensure_ascii=False) + "\n")
    lines.flush()


def _is_answered_here(graph: str) -> bool:
    """Say whether a graph of the folder talks to nobody: keys, and tokens that come one by one, are the command's."""
    from khub.components.errors import KhubError
    from khub.server.graphs.folder import SUFFIXES
    from khub.server.graphs.load import load_graph, talks_to

    try:
        return not graph.endswith(SUFFIXES) and not talks_to(load_graph(graph))
    except KhubError:
        return False


def _answer(asked: AskedNearby, home: Path) -> dict[str, Any] | None:
    """Return an answer as JSON; None where there is an error, which the command meets by itself."""
    from khub.components.errors import KhubError
    from khub.components.value import as_json
    from khub.server.hub import Hub

    given = {name: asked.get(name) for name in ("collection", "graph", "top_k", "filters", "legs")}
    try:
        answer: dict[str, Any] = as_json(Hub(home).ask(asked["query"], **given))  # type: ignore[arg-type]
    except KhubError as error:
        logger.debug("a command's question could not be answered: %s", error)
        return None
    return answer
