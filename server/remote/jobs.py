"""Jobs of a service: started by files that are sent, followed to their end, cancelled by Ctrl-C."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_row import JobRow
from khub.components.errors import KhubError
from khub.server.remote.failures import ServiceError, UnreachedError
from khub.server.remote.form import Form, SentFile
from khub.server.remote.interrupts import noted_interrupt
from khub.server.remote.service import Service
from khub.server.terminal import tell

PATIENCE_S, PAUSE_S = 120, 1
"""So long may a service be away that follows a job: it starts again, and goes on with it."""
BUSY = (429, 502, 503, 504)
ENDED = ("finished", "failed", "cancelled")
GOES_ON = "the job goes on there: the same command later says what came of it"


def run_job(
    service: Service, fields: dict[str, str], files: Sequence[SentFile], on_progress: Callable[[JobProgress], None]
) -> JobRow:
    """Send files, and return the job that has ingested them, with what became of each; Ctrl-C cancels it.

    :param fields: of the form.
    :param on_progress: called with `done`, `total`, `chunks`, `pages` and `failed` of these files.
    :raises KhubError: if the service takes them not, or the job failed.
    """
    job_id = ""
    try:
        with noted_interrupt() as interrupted:
            job_id = _send(service, Form(fields, files), interrupted)
        if interrupted.is_set():
            raise KeyboardInterrupt
        _follow(service, job_id, on_progress)
    except KeyboardInterrupt:
        if job_id:
            _cancel(service, job_id)
        raise
    told = service.ask("GET", f"/jobs/{job_id}", "collection", "graph", "files", params={"files": True})
    return cast(JobRow, told)


def _send(service: Service, form: Form, interrupted: threading.Event) -> str:
    def content() -> Iterator[bytes]:
        for block in form:
            if interrupted.is_set():  # before the service has all of it, it keeps nothing
                raise KeyboardInterrupt
            yield block

    answer = service.ask("POST", "/documents", "job_id", content=content(), headers=form.headers)
    return str(answer["job_id"])


def _follow(service: Service, job_id: str, on_progress: Callable[[JobProgress], None]) -> None:
    for event, data in _events(service, job_id):
        if event == "progress":
            on_progress(cast(JobProgress, data))
        elif event == "cancelled":
            raise KhubError(
                "the job was cancelled at the service", "ingest again: what is done stays", code="job_cancelled"
            )
        elif event == "failed":
            raise KhubError(
                str(data.get("error") or "the job failed"), str(data.get("remedy") or ""), code="service_failed"
            )


def _events(service: Service, job_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what happens to a job until it has ended, also where the stream breaks and the service starts again."""
    last, heard = "", time.monotonic()
    while True:
        try:
            for number, event, data in service.events(f"/jobs/{job_id}/events", last):
                heard = time.monotonic()
                if not event:
                    continue
                last = number
                yield event, data
                if event in ENDED:
                    return
        except (UnreachedError, ServiceError) as error:
            if isinstance(error, ServiceError) and error.status not in BUSY:
                raise
            if time.monotonic() - heard > PATIENCE_S:
                raise KhubError(error.message, GOES_ON, code="service_failed") from error
        time.sleep(PAUSE_S)


def _cancel(service: Service, job_id: str) -> None:
    try:
        state = service.ask("DELETE", f"/jobs/{job_id}", "state")["state"]
    except KhubError as error:
        tell("the job at the service could not be cancelled and goes on", error.message, error.remedy)
    else:
        ended = "was cancelled" if state == "cancelled" else f"had ended ({state})"
        tell(f"the job at the service {ended}", "what it has done stays")
