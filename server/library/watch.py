"""Notice that a folder has changed, by looking at it now and then: that works on every system and network drive."""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path

from khub.components.converters.file_types import SUPPORTED_EXTENSIONS
from khub.components.home import hub_home
from khub.components.text.hidden_names import is_hidden
from khub.server.library.ignore_rules import rules_above

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
    known: Callable[[], Collection[str]] = tuple,
    with_ignored: bool = False,
    extensions: Callable[[], Collection[str]] = lambda: SUPPORTED_EXTENSIONS,
) -> None:
    """Act at once, and then whenever files have changed and come to rest, until somebody says stop.

    :param folder: its absolute path.
    :param act: is given the files that are new or changed since it last returned True, None for all of them; returns
        whether it has done its work.
    :param stop: set it from another thread to end; an action under way is completed.
    :param every: seconds between two looks.
    :param settle: seconds for which nothing may change before it acts.
    :param retry: seconds after which it acts again where it failed, though nothing has changed.
    :param known: returns files that are looked at, too, whatever their kind and name: of the documents that there are.
    :param with_ignored: whether what a `.gitignore` leaves out is looked at, too.
    :param extensions: returns those of the files that are looked at, see `extensions_of`.
    """

    def look() -> Snapshot:
        return snapshot(folder, known(), with_ignored, extensions())

    done: Snapshot | None = None
    tried: Snapshot | None = None
    last = time.monotonic()
    while not stop.is_set():
        seen = look()
        again = done is None and time.monotonic() - last >= retry
        if tried is None or seen != tried or again:
            if tried is not None:
                seen = _at_rest(look, seen, stop, settle)
            if stop.is_set():
                return
            changed = None if done is None else {path for path, state in seen.items() if done.get(path) != state}
            done = seen if act(changed) else None
            tried, last = seen, time.monotonic()
        stop.wait(every)


def snapshot(
    folder: str,
    known: Collection[str] = (),
    with_ignored: bool = False,
    extensions: Collection[str] = SUPPORTED_EXTENSIONS,
) -> Snapshot:
    """Return modification time (ns) and size of every file that could be ingested; what cannot be seen is left out.

    :param known: files that are looked at whatever their kind and name.
    :param with_ignored: whether what a `.gitignore` leaves out is looked at, too.
    :param extensions: of the other files that are looked at.
    """
    seen: Snapshot = {}
    home, waiting = str(hub_home()), [(folder, rules_above(Path(folder), with_ignored, _pass))]
    while waiting:
        here, rules = waiting.pop()
        own = rules.within(here, _pass)
        # what may not be entered, or went while it was looked at, is told by whoever acts
        with contextlib.suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                if is_hidden(entry.name) or entry.path == home:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not own.leave_out(entry.path, is_folder=True):
                        waiting.append((entry.path, own))
                elif Path(entry.name).suffix.lower() in extensions and not own.leave_out(entry.path):
                    _look_at(entry.path, seen)
    for file in known:
        if file not in seen:
            _look_at(file, seen)
    return seen


def _look_at(file: str, seen: Snapshot) -> None:
    with contextlib.suppress(OSError):
        status = Path(file).stat()
        if stat.S_ISREG(status.st_mode):  # the time of a pipe changes whenever it is used
            seen[file] = (status.st_mtime_ns, status.st_size)


def _pass(_: OSError) -> None:
    """Leave it to whoever acts to tell of a `.gitignore` that cannot be read."""


def _at_rest(look: Callable[[], Snapshot], seen: Snapshot, stop: threading.Event, settle: float) -> Snapshot:
    for _ in range(REST_LIMIT):
        stop.wait(settle)
        before, seen = seen, look()
        if stop.is_set() or seen == before:
            break
    return seen
