"""A program that does what a job's record says, and notes there how far it has come.

Its standard input is a pipe that nobody writes to: when the process at the other end is gone, however it ended, this
one and those that it started end as well. What was ingested stays; the same ingest goes on from there.
"""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from components.catalog.access import Caller, calling_as
from components.errors import KhubError
from components.private_files import OTHERS
from server.jobs.ingest_counts import ingest_counts
from server.jobs.job_record import JobRecord, now

if TYPE_CHECKING:
    from server.library.ingest_result import IngestResult

OF_FILES = ("written", "unchanged", "failed", "passed_over", "degraded", "removed")
"""What became of each file: kept beside the counts, for who asks a service for it."""
TEMPORARY = "khub-job-"


def main(job_id: str) -> None:
    """Run a job to its end.

    :param job_id: of a record that waits.
    """
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    record = JobRecord(job_id)
    with record.held(), temporary_folder():
        about = record.read()
        if about is None or about["state"] != "queued":  # cancelled
            return
        record.update(state="running", started_at=now())
        try:
            with calling_as(Caller(about.get("caller") or "")):  # its traces are shown to who may see the job
                done = WORK[about["kind"]](record, about)
            record.update(state="finished", finished_at=now(), **done)
        except KhubError as error:
            record.update(state="failed", finished_at=now(), error=str(error))
        except Exception as error:
            record.update(state="failed", finished_at=now(), error=f"{type(error).__name__}: {error}")
            raise


@contextlib.contextmanager
def temporary_folder() -> Iterator[None]:
    """Let what is temporary lie in one folder, which goes however this process ends: files of mails lie there."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = None


def _reindex(record: JobRecord, about: dict[str, Any]) -> dict[str, Any]:
    from server.library.collections import Reindexed, reindex
    from server.traces.app_log import configure_logging

    def told(progress: Reindexed) -> None:
        with contextlib.suppress(OSError, KhubError):
            record.update(progress=vars(progress))

    configure_logging()
    return {"result": reindex(about["collection"], about["graph"], told)}


def _ingest(record: JobRecord, about: dict[str, Any]) -> dict[str, Any]:
    from server.jobs.told_progress import TellsProgress
    from server.library.collections import create_collection
    from server.library.ingest import ingest
    from server.library.uploads import put_in_place, uploads_of
    from server.traces.app_log import configure_logging

    configure_logging()
    put_in_place(record.job_id, about["paths"])
    if any(uploads_of(about["collection"]) in Path(path).parents for path in about["paths"]):
        create_collection(about["collection"])  # or no document tells of a file that failed, and nobody can delete it
    with TellsProgress(record) as told:
        done = ingest(about["paths"], about["collection"], about["graph"], about.get("meta"), on_progress=told)
    return _told(done)


def _sync(record: JobRecord, about: dict[str, Any]) -> dict[str, Any]:
    from server.jobs.told_progress import TellsProgress
    from server.library.sync import apply_sync, plan_sync
    from server.traces.app_log import configure_logging

    configure_logging()
    plan = plan_sync(about["folder"], about["collection"], about["graph"])
    agreed, gone = about.get("agreed"), plan.lost
    if agreed is not None:
        plan = replace(plan, removals=[row for row in plan.removals if row["doc_id"] in agreed])
    remove = agreed is not None or not plan.drastic  # most of the folder is gone: perhaps it is only not mounted
    with TellsProgress(record) as told:
        result = apply_sync(plan, told, remove=remove, only=about["paths"])
    return _told(result, removed=len(result.removed), gone_and_kept=gone - plan.lost if remove else gone)


def _told(result: "IngestResult", **more: int) -> dict[str, Any]:
    """Return the fields of a record that say what an ingest did."""
    return {"result": ingest_counts(result, **more), "files": {name: getattr(result, name) for name in OF_FILES}}


WORK: dict[str, Callable[[JobRecord, dict[str, Any]], dict[str, Any]]] = {
    "ingest": _ingest,
    "sync": _sync,
    "reindex": _reindex,
}


def end_with_parent() -> None:
    """End this process when the one that started it is gone."""
    while os.read(0, 1):
        pass
    end_now()


def end_now() -> None:
    """End this process and those that it has started; what is temporary of it goes."""
    if (folder := Path(tempfile.tempdir or "")).name.startswith(TEMPORARY):
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)  # the converters' processes, too
    os._exit(1)


if __name__ == "__main__":
    os.umask(OTHERS)
    main(sys.argv[2])
