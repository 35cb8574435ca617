"""A program that does what a job's record says, and notes there how far it has come.

Its standard input is a pipe that nobody writes to: when the process at the other end is gone, however it ended, this
one and those that it started end as well. What was ingested stays; the same ingest goes on from there.
"""

import contextlib
import os
import signal
import sys
import threading
from typing import Any

from components.errors import KhubError
from components.private_files import OTHERS
from server.jobs.job_record import JobRecord, now

SHOWN_FAILURES = 50
OF_FILES = ("written", "unchanged", "failed", "degraded")
"""What became of each file: kept beside the counts, for who asks a service for it."""


def main(job_id: str) -> None:
    """Run a job to its end.

    :param job_id: of a record that waits.
    """
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    record = JobRecord(job_id)
    with record.held():
        about = record.read()
        if about is None or about["state"] != "queued":  # cancelled
            return
        record.update(state="running", started_at=now())
        try:
            done = {"result": _reindex(record, about)} if about["kind"] == "reindex" else _ingest(record, about)
            record.update(state="finished", finished_at=now(), **done)
        except KhubError as error:
            record.update(state="failed", finished_at=now(), error=str(error))
        except Exception as error:
            record.update(state="failed", finished_at=now(), error=f"{type(error).__name__}: {error}")
            raise


def _reindex(record: JobRecord, about: dict[str, Any]) -> dict[str, Any]:
    from server.library.collections import Reindexed, reindex
    from server.traces.app_log import configure_logging

    def told(progress: Reindexed) -> None:
        with contextlib.suppress(OSError, KhubError):
            record.update(progress=vars(progress))

    configure_logging()
    return reindex(about["collection"], about["graph"], told)


def _ingest(record: JobRecord, about: dict[str, Any]) -> dict[str, Any]:
    from server.library.ingest import Progress, ingest
    from server.traces.app_log import configure_logging

    def told(progress: Progress) -> None:
        with contextlib.suppress(
            OSError, KhubError
        ):  # where there is no room for this, the next writing of documents says so
            record.update(progress=vars(progress))

    configure_logging()
    result = ingest(about["paths"], about["collection"], about["graph"], about.get("meta"), on_progress=told)
    counts = {
        "written": len(result.written),
        "chunks": sum(written["chunks"] for written in result.written),
        "unchanged": len(result.unchanged),
        "failed": len(result.failed),
        "failures": result.failed[:SHOWN_FAILURES],
        "passed_over": result.passed_over,
        "degraded": result.degraded[:SHOWN_FAILURES],
        "seconds": round(result.seconds, 1),
    }
    files = {name: getattr(result, name) for name in OF_FILES}
    return {"result": counts, **({"files": files} if about.get("of_service") else {})}


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)  # the converters' processes, too
    os._exit(1)


if __name__ == "__main__":
    os.umask(OTHERS)
    main(sys.argv[2])
