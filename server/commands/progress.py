"""Show how far a long command has come: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

LINE_INTERVAL_S = 2.0


class Report(Protocol):
    """Takes how many things are done of all, what else there is to say, and how many of the done ones took no time."""

    def __call__(self, done: int, total: int, more: str = "", before: int = 0) -> None:
        """Show it."""


@contextmanager
def progress(what: str, unit: str) -> Iterator[Report]:
    """Show progress on standard error until the block ends.

    :param what: what is under way.
    :param unit: what is counted, in the plural.
    """
    if not sys.stderr.isatty():
        yield _lines(what, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task, started = bar.add_task(what, total=None), time.monotonic()

        def report(done: int, total: int, more: str = "", before: int = 0) -> None:
            text = state(done, total, unit, time.monotonic() - started, more, before)
            bar.update(task, completed=done, total=total or None, description=f"{what} {text}")

        yield report


def state(done: int, total: int, unit: str, seconds: float, more: str = "", before: int = 0) -> str:
    """Return `64/200 files, 12.8 files/s, 11 s left, 1 failed`; speed and time left only where they can be known.

    :param seconds: time that it has taken so far.
    :param more: what else to say.
    :param before: of those done, how many took no time.
    """
    parts = [f"{done:,}/{total:,} {unit}", speed(done - before, unit, seconds)]
    if before < done < total and seconds > 0:
        parts.append(f"{duration(seconds / (done - before) * (total - done))} left")
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


def _lines(what: str, unit: str) -> Report:
    started, last = time.monotonic(), float("-inf")

    def report(done: int, total: int, more: str = "", before: int = 0) -> None:
        nonlocal last
        now = time.monotonic()
        if done and (now - last >= LINE_INTERVAL_S or done >= total):
            last = now
            sys.stderr.write(f"{what} {state(done, total, unit, now - started, more, before)}\n")
            sys.stderr.flush()

    return report
