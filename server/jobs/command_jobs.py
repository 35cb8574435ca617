"""Ingests of the command line as rows of the table of jobs, so that there is one history, whatever the door."""

import contextlib
import logging
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.server.jobs.ingest_counts import ingest_counts
from khub.server.jobs.job_record import JobRecord, now

if TYPE_CHECKING:
    from khub.server.library.ingest_result import IngestResult, Progress

KEPT_DAYS, MOST_KEPT = 30, 1000
MOST_PATHS, MOST_FAILED = 1000, 1000
AGAIN = "run the command again: files that were finished are skipped"
logger = logging.getLogger(__name__)


class CommandJob:
    """An ingest that a command does itself.

    Its row says `interrupted` from its first batch until the command has said what came of it, so that nobody has to
    find out what ended the process: while that lives, it holds the job's lock (see `known_jobs.as_seen`).

    :param door: the command, such as `khub ingest`.
    :param about: further fields of the row.
    """

    def __init__(self, door: str, kind: str, collection: str, graph: str, about: dict[str, Any]) -> None:
        self.result: IngestResult | None = None
        self._fields = {"door": door, "kind": kind, "collection": collection, "graph": graph, "caller": "", **about}
        self._record = JobRecord(uuid.uuid4().hex)
        self._held = contextlib.ExitStack()
        self._begun = False

    def noting(self, on_progress: "Callable[[Progress], None] | None" = None) -> "Callable[[Progress], None]":
        """Return what is told of progress, which begins the row: what is refused before any work has none."""

        def told(progress: "Progress") -> None:
            if progress.total and not self._begun:
                self._begin("interrupted", remedy=AGAIN)
            if on_progress is not None:
                on_progress(progress)

        return told

    def end(self, state: str, **fields: Any) -> None:
        """Write down what came of it, where there is a hub."""
        fields = {"finished_at": now(), **fields}
        if self.result is not None:
            done, failed = self.result, self.result.failed[:MOST_FAILED]
            files = {"failed": failed} if failed else {}
            fields |= {"result": ingest_counts(done, removed=len(done.removed)), "files": files}
        if not self._begun:
            if (state != "finished" or _did_something(fields)) and open_catalog().database.exists():
                self._begin(state, **fields)
        else:
            with _not_in_the_way():
                open_catalog().jobs.update(self._record.job_id, {"state": state, **fields}, without=("remedy",))
        self._held.close()
        self._record.drop_lock()

    def _begin(self, state: str, **fields: Any) -> None:
        self._begun = True
        with _not_in_the_way():
            self._held.enter_context(self._record.held())
            self._record.add(state=state, started_at=now(), **self._fields, **fields)
            before = (datetime.now(UTC) - timedelta(days=KEPT_DAYS)).isoformat()
            open_catalog().jobs.forget_of_commands(before, MOST_KEPT)


@contextlib.contextmanager
def command_job(door: str, kind: str, collection: str, graph: str, **about: Any) -> Iterator[CommandJob]:
    """Keep a row of the ingest that the block does, and sets as `result`.

    :param door: the command, such as `khub ingest`.
    :param kind: `ingest` or `sync`.
    :param about: `paths` (absolute; of addresses, as they are shown) or `folder`, and `meta`.
    """
    if "paths" in about:
        about["paths"] = about["paths"][:MOST_PATHS]
    job = CommandJob(door, kind, collection, graph, about)
    try:
        yield job
    except KeyboardInterrupt:
        job.end("cancelled")
        raise
    except Exception as error:
        known = (
            error
            if isinstance(error, KhubError)
            else KhubError(f"{type(error).__name__}: {error}", code="program_failed")
        )
        job.end("failed", error=known.message, remedy=known.remedy)
        raise
    job.end("finished")


def _did_something(fields: Mapping[str, Any]) -> bool:
    return any(fields.get("result", {}).get(name) for name in ("written", "unchanged", "failed", "removed"))


@contextlib.contextmanager
def _not_in_the_way() -> Iterator[None]:
    """Let an ingest go on whose row cannot be written, on a full disk, say."""
    try:
        yield
    except Exception as error:
        logger.warning("the history of ingests lacks one: %s", error)
