"""Do what a job's record says, and note there how far it has come."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from khub.components.catalog.access import caller, calling_as, require_collection
from khub.components.catalog.job_files import JobFiles
from khub.components.catalog.job_row import JobRow
from khub.components.errors import KhubError
from khub.server.jobs.asker import asker_now, asker_of
from khub.server.jobs.ingest_counts import SHOWN_FAILURES, ingest_counts
from khub.server.jobs.job_outcome import JobOutcome
from khub.server.jobs.job_record import JobRecord, job_rows, now
from khub.server.jobs.put_off import UNREACHABLE, put_off
from khub.server.library.uploads import forget_put_aside, put_in_place, uploads_of

if TYPE_CHECKING:
    from khub.server.library.ingest_result import IngestResult

OF_FILES = ("written", "unchanged", "failed", "passed_over", "degraded", "removed", "overtaken", "kept")
"""What became of each file: kept beside the counts, for who asks a service for it."""


def run_job(job_id: str) -> bool:
    """Run a job to its end; return whether it came there without an error.

    :param job_id: of a record that waits.
    """
    record = JobRecord(job_id)
    with record.held():
        about = record.read()
        if about is None or about["state"] != "queued":  # cancelled
            return True
        fields = {"state": "running", "started_at": now()}
        job_rows().update(job_id, fields, without=("error", "remedy", "retry_at"), unless=("cancelled",))
        try:
            with calling_as(asker_of(about)):  # its traces are shown to who may see the job
                require_collection(about["collection"])
                done = WORK[about["kind"]](record, about)
            record.update(state="finished", finished_at=now(), **done)
        except KhubError as error:
            if error.code == UNREACHABLE and put_off(record, about, error):
                return False
            record.update(state="failed", finished_at=now(), error=str(error))
            forget_put_aside(job_id, len(about.get("paths") or ()))
            return False
        except Exception as error:
            record.update(state="failed", finished_at=now(), error=f"{type(error).__name__}: {error}")
            raise
    return True


def _reindex(record: JobRecord, about: JobRow) -> JobOutcome:
    from khub.server.library.collections import Reindexed, reindex
    from khub.server.traces.app_log import configure_logging

    def told(progress: Reindexed) -> None:
        with contextlib.suppress(OSError, KhubError):
            record.update(progress=vars(progress))

    configure_logging()
    return {"result": reindex(about["collection"], about["graph"], _while_allowed(told))}


def _ingest(record: JobRecord, about: JobRow) -> JobOutcome:
    from khub.components.catalog.catalog import open_catalog
    from khub.components.catalog.write_access import closed_sources, refuse_levels_in
    from khub.server.jobs.told_progress import TellsProgress
    from khub.server.library.collections import create_collection
    from khub.server.library.ingest import ingest
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    refuse_levels_in(about.get("meta"))  # before anything has its place
    dropped = about.get("dropped", [])  # their documents were deleted while the job waited
    asked = about["paths"] or []
    catalog = open_catalog()
    files = [path for path in asked if path not in dropped and not Path(path).is_dir()]
    overtaken = catalog.jobs.brought_later(record.job_id, files) if about.get("of_service") else []
    closed = closed_sources(catalog.database, about["collection"], asked)
    left_out = {*dropped, *overtaken}
    put_in_place(record.job_id, asked, {*left_out, *closed})
    paths = [path for path in asked if path not in left_out]
    if any(uploads_of(about["collection"]) in Path(path).parents for path in paths):
        create_collection(about["collection"])  # or no document tells of a file that failed, and nobody can delete it
    with TellsProgress(record) as told:
        go_on = _while_allowed(told)
        graph = str(about["graph"])
        done = ingest(paths, about["collection"], graph, about.get("meta"), go_on, without=left_out)
    done.removed += dropped
    done.overtaken += overtaken
    return _told(done)


def _sync(record: JobRecord, about: JobRow) -> JobOutcome:
    from khub.server.jobs.told_progress import TellsProgress
    from khub.server.library.sync import apply_sync, plan_sync
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    plan = plan_sync(about["folder"], about["collection"], str(about["graph"]))
    agreed, gone = about.get("agreed"), plan.lost
    if agreed is None:
        plan = plan.without_doubtful()  # much of the folder is gone: perhaps it is only not mounted
    else:
        plan = replace(plan, removals=[row for row in plan.removals if row["doc_id"] in agreed])
    with TellsProgress(record) as told:
        result = apply_sync(plan, _while_allowed(told), only=about["paths"])
    stayed = gone - plan.lost
    emptied = plan.emptied[:SHOWN_FAILURES] if stayed else []
    return _told(result, gone_and_kept=stayed, emptied=emptied)


def _move(record: JobRecord, about: JobRow) -> JobOutcome:
    from khub.server.jobs.moves import move_documents
    from khub.server.jobs.told_progress import TellsProgress
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    with TellsProgress(record) as told:
        return _told(move_documents(about["moved"], about["collection"], str(about["graph"]), _while_allowed(told)))


def _source(record: JobRecord, about: JobRow) -> JobOutcome:
    from khub.server.jobs.told_progress import TellsProgress
    from khub.server.sources.configured import source_of_key
    from khub.server.sources.source_sync import apply_source, plan_source
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    with TellsProgress(record) as told:
        go_on = _while_allowed(told)
        plan = plan_source(source_of_key(about["source_key"]), go_on)
        result = apply_source(plan, go_on)
    stayed = plan.sync.lost if plan.sync.drastic else 0
    return _told(result, gone_and_kept=stayed, emptied=[])


def _while_allowed(told: Callable[[Any], object]) -> Callable[[Any], None]:
    """Return what tells of progress, and goes no further once the rights of whoever asked for the job are others."""
    began = caller()

    def tell(progress: Any) -> None:
        if asker_now(began.name, began.groups) != began:
            raise KhubError(
                "the token that asked for this has other rights now",
                "ask again: what is done stays",
                code="access_denied",
            )
        told(progress)

    return tell


def _told(result: "IngestResult", **more: Any) -> JobOutcome:
    """Return the fields of a record that say what an ingest did."""
    files = {name: getattr(result, name) for name in OF_FILES}
    return {"result": ingest_counts(result, **more), "files": cast(JobFiles, files)}


WORK: dict[str, Callable[[JobRecord, JobRow], JobOutcome]] = {
    "ingest": _ingest,
    "sync": _sync,
    "source": _source,
    "move": _move,
    "reindex": _reindex,
}
