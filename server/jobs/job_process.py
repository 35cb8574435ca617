"""A program that does jobs, one after the other, with all that they load kept for the next.

It reads their ids from its standard input, a line each, and writes a line to what was its standard output when one is
over. When its input ends, it and those that it started end as well, at once where they are at a job: the process at the
other end is gone, however it ended, or does not want it any more. What was ingested stays; the same ingest goes on.
"""

import contextlib
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from khub.components.cancellation import threads_at_work
from khub.components.private_files import OTHERS, owners_alone
from khub.server.jobs.given_jobs import GivenJobs
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.job_work import run_job
from khub.server.jobs.resident_memory import resident_mb

TEMPORARY = "khub-job-"


def main() -> None:
    """Do jobs until nobody is there who gives them."""
    stream, told = _protected_streams()
    jobs = GivenJobs(stream, end_now)
    while (job_id := jobs.next()) is not None:
        whole = _do(job_id)
        after = {"mb": round(resident_mb()), "spent": not whole or threads_at_work() > 0}
        jobs.done()
        told.write(f"{json.dumps(after)}\n".encode())
        told.flush()
    gc.freeze()  # else all that was loaded is searched for cycles while the process ends


def _protected_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return where jobs come from and where their ends are told: no library, and no program, reads or writes there."""
    jobs, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return jobs, told


def _do(job_id: str) -> bool:
    """Do a job; return whether it came to its end, so that nothing of it goes on here."""
    with _written_to(JobRecord(job_id).log), _own_environment(), _without_edited_graphs():
        try:
            with temporary_folder():
                return run_job(job_id)
        except Exception:
            traceback.print_exc()
            return False
        finally:
            _close_indexes()


@contextlib.contextmanager
def _written_to(log: Path) -> Iterator[None]:
    """Let what this process and its children write stand in the log of the job; afterwards it stands nowhere."""
    try:
        with (
            contextlib.suppress(OSError),
            open(log, "ab", opener=owners_alone) as file,
        ):  # a full disk has no room for it
            _write_to(file)
        yield
    finally:
        with open(os.devnull, "wb") as nothing:  # noqa: PTH123
            _write_to(nothing)


def _write_to(file: BinaryIO) -> None:
    for number, stream in enumerate((sys.stdout, sys.stderr), 1):
        stream.flush()
        os.dup2(file.fileno(), number)


@contextlib.contextmanager
def _own_environment() -> Iterator[None]:
    """Let no variable stay that the job has set."""
    before = dict(os.environ)
    try:
        yield
    finally:
        if before != os.environ:
            os.environ.clear()
            os.environ.update(before)


@contextlib.contextmanager
def _without_edited_graphs() -> Iterator[None]:
    """Let a graph go that the job has loaded anew: its parts refer to each other, and keep models and converters."""
    before = _graphs()
    try:
        yield
    finally:
        if not before <= _graphs():
            gc.collect()


def _graphs() -> set[int]:
    loaded = sys.modules.get("khub.server.graphs.load")  # a job may need none
    return {id(graph) for graph in loaded.loaded_graphs()} if loaded is not None else set()


@contextlib.contextmanager
def temporary_folder() -> Iterator[None]:
    """Let what is temporary lie in one folder, which goes however this process ends: files of mails lie there."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = None


def _close_indexes() -> None:
    """Close what the job has opened to read: nobody could delete its files on Windows."""
    if (opened := sys.modules.get("khub.components.stores.open_indexes")) is not None:  # else none was opened
        opened.close_readers()


def end_now() -> None:
    """End this process and those that it has started; what is temporary of it goes."""
    if (folder := Path(tempfile.tempdir or "")).name.startswith(TEMPORARY):
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)  # the converters' processes, too
    os._exit(1)


if __name__ == "__main__":
    os.umask(OTHERS)
    main()
