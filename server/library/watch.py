"""Notice that a folder has changed, by looking at it now and then: that works on every system and network drive."""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

from components.converters.file_types import doc_type_of
from components.home import hub_home

REST_LIMIT = 20  # a folder in which something is always written is taken as it is after so many times `settle`
RETRY_S = 60.0

Snapshot = dict[str, tuple[int, int]]


def watch_folder(
    folder: str,
    act: Callable[[set[str] | None], bool],
    stop: threading.Event,
    every: float = 2.0,
    settle: float = 1.0,
    retry: float = RETRY_S,
) -> None:
    """Act at once, and then whenever files have changed and come to rest, until somebody says stop.

    :param folder: its absolute path.
    :param act: is given the files that are new or changed since it last returned True, None for all of them; returns
        whether it has done its work.
    :param stop: set it from another thread to end; an action under way is completed.
    :param every: seconds between two looks.
    :param settle: seconds for which nothing may change before it acts.
    :param retry: seconds after which it acts again where it failed, though nothing has changed.
    """
    done: Snapshot | None = None
    tried: Snapshot | None = None
    last = time.monotonic()
    while not stop.is_set():
        seen = snapshot(folder)
        again = done is None and time.monotonic() - last >= retry
        if tried is None or seen != tried or again:
            if tried is not None:
                seen = _at_rest(folder, seen, stop, settle)
            if stop.is_set():
                return
            changed = None if done is None else {path for path, state in seen.items() if done.get(path) != state}
            done = seen if act(changed) else None
            tried, last = seen, time.monotonic()
        stop.wait(every)


def snapshot(folder: str) -> Snapshot:
    """Return modification time (ns) and size of every file that could be ingested; what cannot be seen is left out."""
    seen: Snapshot = {}
    home, waiting = str(hub_home()), [folder]
    while waiting:
        # what may not be entered, or went while it was looked at, is told by whoever acts
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.path == home:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif doc_type_of(Path(entry.name)) is not None:
                    with contextlib.suppress(OSError):
                        status = entry.stat()
                        if stat.S_ISREG(status.st_mode):  # the time of a pipe changes whenever it is used
                            seen[entry.path] = (status.st_mtime_ns, status.st_size)
    return seen


def _at_rest(folder: str, seen: Snapshot, stop: threading.Event, settle: float) -> Snapshot:
    for _ in range(REST_LIMIT):
        stop.wait(settle)
        before, seen = seen, snapshot(folder)
        if stop.is_set() or seen == before:
            break
    return seen
