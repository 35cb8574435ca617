"""Ingest files of this machine into a hub elsewhere."""

import json
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal
from urllib.parse import quote

from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_row import JobRow
from khub.components.converters.file_types import SUPPORTED_EXTENSIONS
from khub.components.failed_file import failed_file
from khub.server.library.ingest_result import IngestResult, Progress, result_of
from khub.server.library.row_sources import file_of
from khub.server.library.source_walk import absolute, collect_sources
from khub.server.library.uploads import UPLOADS
from khub.server.remote.failures import ServiceError
from khub.server.remote.form import SentFile
from khub.server.remote.jobs import run_job
from khub.server.remote.sending import parts, sendable
from khub.server.remote.service import Service

TOO_LARGE = 413


def ingest(
    service: Service,
    paths: Sequence[str],
    collection: str | None,
    graph: str,
    meta: dict[str, Any] | None,
    on_progress: Callable[[Progress], None],
    with_ignored: bool = False,
) -> IngestResult:
    """Send files and folders, and return what became of them, under their paths here.

    :param paths: files and folders; of what is in a folder the same is taken as by an ingest on this machine.
    :param collection: at the service; `default` if None.
    :param graph: of kind `ingest`, by its name at the service.
    :param meta: metadata of all the files.
    :param on_progress: called as the local ingest does.
    :param with_ignored: whether what a `.gitignore` leaves out of a folder is sent, too.
    :raises KhubError: if the service cannot be asked, or refuses all of them.
    """
    started = time.perf_counter()
    folders = [str(folder) for path in paths if (folder := absolute(path)).is_dir()]
    found = collect_sources(paths, with_ignored, _extensions(service, graph) if folders else ())
    name = collection or DEFAULT_COLLECTION
    result = result_of(found, name, graph)
    fields = {"collection": name, "graph": graph, **({"meta": json.dumps(meta, ensure_ascii=False)} if meta else {})}
    waiting = list(parts(sendable(found.files, folders, result.failed)))
    counted = _Counted(result, len(found.files), on_progress)
    while waiting:
        part = waiting.pop(0)
        try:
            job = run_job(service, fields, part, counted.told)
        except ServiceError as error:
            if error.status != TOO_LARGE:
                raise
            if len(part) > 1:  # which of them it is the others need not wait for
                middle = len(part) // 2
                waiting[:0] = [part[:middle], part[middle:]]
            else:
                error.remedy = error.remedy or "split it, or start the service with a larger KHUB_UPLOAD_MB"
                result.failed.append(failed_file(part[0].path, "check", error))
            continue
        _add(result, job, part)
    result.seconds = time.perf_counter() - started
    return result


def _extensions(service: Service, graph: str) -> Collection[str]:
    """Return the extensions of the files that a graph of the service reads; one of before does not say."""
    return service.ask("GET", f"/graphs/{quote(graph)}").get("extensions") or SUPPORTED_EXTENSIONS


class _Counted:
    """Adds what a job has done to what those before it did."""

    def __init__(self, result: IngestResult, total: int, on_progress: Callable[[Progress], None]) -> None:
        self._result = result
        self._total = total
        self._on_progress = on_progress

    def told(self, now: JobProgress) -> None:
        """Tell how far all has come.

        :param now: what a job says of itself.
        """
        before = self._result
        failed = len(before.failed)
        done = len(before.written) + len(before.unchanged) + failed
        chunks = sum(one["chunks"] for one in before.written) + now["chunks"]
        pages = sum(one["pages"] or 0 for one in before.written) + now["pages"]
        at = min(self._total, done + now["done"])
        self._on_progress(Progress(at, self._total, chunks, pages, failed + now["failed"]))


def _add(result: IngestResult, job: JobRow, part: Sequence[SentFile]) -> None:
    """Add what a job did to a result; each file is called by its path here."""
    here = {file.name: file.path for file in part}

    def named(source: str) -> str:
        file = file_of(source)
        at = file.replace("\\", "/").split("/")
        # whole, or below UPLOADS/COLLECTION/
        below = ("/".join(at), *("/".join(at[number + 2 :]) for number, name in enumerate(at) if name == UPLOADS))
        return next((here[name] + source[len(file) :] for name in below if name in here), source)

    def entries(kind: Literal["written", "failed", "degraded"]) -> Any:
        return [{**one, "source": named(one["source"])} if "source" in one else one for one in job["files"][kind]]

    result.collection, result.graph = job["collection"], str(job["graph"])
    result.written += entries("written")
    result.failed += entries("failed")
    result.degraded += [entry for entry in entries("degraded") if "source" in entry or entry not in result.degraded]
    result.unchanged += [named(source) for source in job["files"]["unchanged"]]
    result.removed += [named(source) for source in job["files"]["removed"]]
    result.overtaken += [named(source) for source in job["files"].get("overtaken", ())]
