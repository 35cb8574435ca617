"""The conversion worker: a process of its own, so that a parser that hangs, crashes or swells hurts one file only.

It reads requests from its standard input and writes replies to what was its standard output (see `framing`); it ends
when the input closes. Started by `worker_process`.
"""

import faulthandler
import gc
import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from khub.components.converters.framing import read_message, write_message
from khub.components.converters.source_reader import MEGABYTE
from khub.components.errors import SourceError

_GRACE_S = 10
_FORBIDDEN_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.system", "os.exec"}


def main(memory_mb: int, plugins: Sequence[str] = ()) -> None:
    """Serve conversions until standard input closes.

    :param memory_mb: what one conversion may take beyond the worker at rest, where the system can limit it.
    :param plugins: names of MarkItDown's plug-ins that it may be asked for.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the hub, which closes the input when it ends.
    requests, replies = _protected_streams()
    try:
        from khub.components.converters.worker_requests import Requests

        asked = Requests(plugins)
    except Exception as error:
        write_message(replies, {"ready": False, "error": f"{type(error).__name__}: {error}"})
        return
    gc.freeze()  # what is loaded stays: no need to look through it again and again
    sys.addaudithook(_forbid)
    write_message(replies, {"ready": True})
    inbox: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_receive, args=(requests, inbox), daemon=True).start()
    at_rest = 0
    while True:
        request = inbox.get()
        if not asked.in_share:  # what is kept of a file counts as part of its conversion
            at_rest = _memory_used()
        # Holds even when a parser never gives Python a chance and the hub is gone.
        faulthandler.dump_traceback_later(request["timeout_s"] + _GRACE_S, exit=True)
        _limit_memory(at_rest + memory_mb * MEGABYTE)
        try:
            reply = asked.answer(request)
        except SourceError as error:
            reply = {"error": error.message, "remedy": error.remedy, "code": error.code}
        except MemoryError:
            reply = {"out_of_memory": True}
        except Exception as error:
            message = f"the conversion failed ({type(error).__name__}: {error})"
            reply = {"error": message, "remedy": "report this file", "code": SourceError.code}
        _limit_memory(None)
        faulthandler.cancel_dump_traceback_later()
        write_message(replies, reply)


def _protected_streams() -> tuple[BinaryIO, BinaryIO]:
    # A library's print must not end up between two replies, nor may it read a request.
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, replies


def _receive(requests: BinaryIO, inbox: "queue.Queue[dict[str, Any]]") -> None:
    while (request := read_message(requests)) is not None:
        inbox.put(request)
    os._exit(0)


def _forbid(event: str, args: tuple[Any, ...]) -> None:  # noqa: ARG001
    if event in _FORBIDDEN_EVENTS:
        raise PermissionError(f"{event} is not allowed during a conversion")


def _memory_used() -> int:
    """Return the address space in use in bytes; 0 where it cannot be limited either."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # neither Windows nor macOS has such a limit that holds
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _limit_memory(total: int | None) -> None:
    """Limit the address space to `total` bytes; without limit for None."""
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = hard if total is None else total
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
