"""Show how far a long command has come: a bar on a terminal, a line now and then elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

LINE_INTERVAL_S = 2.0
FIRST_S, SILENT_S = 1.5, 10.0
"""So long at most nothing is said: before the first line, and between two."""


class Report(Protocol):
    """Takes how far it is.

    :param done: things that are done.
    :param total: all of them.
    :param more: what else there is to say.
    :param before: of those done, how many took no time.
    :param share: of the work, from 0 to 1, where that is known better than by the number of things.
    """

    def __call__(self, done: int, total: int, more: str = "", before: int = 0, share: float | None = None) -> None:
        """Show it."""


@contextmanager
def progress(what: str, unit: str) -> Iterator[Report]:
    """Show progress on standard error until the block ends.

    :param what: what is under way.
    :param unit: what is counted, in the plural.
    """
    if not sys.stderr.isatty():
        with _Lines(what, unit) as lines:
            yield lines.report
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task, started = bar.add_task(what, total=None), time.monotonic()

        def report(done: int, total: int, more: str = "", before: int = 0, share: float | None = None) -> None:
            text = state(done, total, unit, time.monotonic() - started, more, before, share)
            bar.update(task, completed=done, total=total or None, description=f"{what} {text}")

        yield report


def state(
    done: int, total: int, unit: str, seconds: float, more: str = "", before: int = 0, share: float | None = None
) -> str:
    """Return `64/200 files, 12.8 files/s, 11 s left, 1 failed`; speed and time left only where they can be known.

    :param seconds: time that it has taken so far.
    :param more: what else to say.
    :param before: of those done, how many took no time.
    :param share: of the work that is done, from 0 to 1; None where it is told by the number of things.
    """
    parts = [f"{done:,}/{total:,} {unit}" if total else f"{done:,} {unit}", speed(done - before, unit, seconds)]
    if before < done < total and seconds > 0 and share != 0:
        left = (total - done) / (done - before) if share is None else (1 - share) / share
        parts.append(f"{duration(seconds * left)} left")
    return ", ".join(filter(None, [*parts, more]))


def speed(done: int, unit: str, seconds: float) -> str:
    """Return `12.8 files/s`, or `0.02 files/s` of large ones; nothing where it cannot be known."""
    if not done or seconds <= 0:
        return ""
    rate = done / seconds
    return f"{rate:,.1f} {unit}/s" if rate >= 0.1 else f"{rate:.1g} {unit}/s"


def duration(seconds: float) -> str:
    """Return `4 s`, `3 min 20 s` or `2 h 5 min`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class _Lines:
    """Writes a line now and then, and again what was last told where nothing was for a while.

    :param what: what is under way.
    :param unit: what is counted, in the plural.
    """

    def __init__(self, what: str, unit: str) -> None:
        self._what, self._unit = what, unit
        self._started = time.monotonic()
        self._last: float | None = None
        self._told: tuple[int, int, str, int, float | None] | None = None
        self._writing = threading.Lock()
        self._over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._repeat, name="progress", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def report(self, done: int, total: int, more: str = "", before: int = 0, share: float | None = None) -> None:
        """Take how far it is (see `Report`)."""
        with self._writing:
            self._told = (done, total, more, before, share)
            if done and (done == total or self._silent_for() >= LINE_INTERVAL_S):
                self._write()

    def _repeat(self) -> None:
        while not self._over.wait(self._until_next()):
            with self._writing:
                if self._until_next() <= 0 and not self._over.is_set():
                    self._write(f", {duration(time.monotonic() - self._started)} so far")

    def _until_next(self) -> float:
        if self._last is None:
            return self._started + FIRST_S - time.monotonic()
        return SILENT_S - self._silent_for()

    def _silent_for(self) -> float:
        return float("inf") if self._last is None else time.monotonic() - self._last

    def _write(self, behind: str = "") -> None:
        self._last = time.monotonic()
        if self._told is None:
            text = "is under way"
        else:
            done, total, more, before, share = self._told
            text = state(done, total, self._unit, self._last - self._started, more, before, share)
        sys.stderr.write(f"{self._what} {text}{behind}\n")
        sys.stderr.flush()
