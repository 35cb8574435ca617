"""What a job tells of itself while it is at work: how far it is, at which files, in which stage."""

import contextlib
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any, Self, cast

from khub.components.catalog.job_progress import JobProgress
from khub.components.errors import KhubError
from khub.server.jobs.job_record import JobRecord
from khub.server.library.ingest_result import Progress
from khub.server.traces.record import Request, StageSpan
from khub.server.traces.tracer import watch_requests, watch_stages

MOST_FILES = 20
LOOK_S = 0.5
"""So often is told in which stage it is: each telling writes the record anew."""


class TellsProgress:
    """Writes into a job's record what its ingest does, as long as the block runs.

    :param record: of the job.
    """

    def __init__(self, record: JobRecord) -> None:
        self._record = record
        self._progress: JobProgress = {}
        self._ended: deque[tuple[str, str]] = deque(maxlen=MOST_FILES)
        self._traces: list[str] = []
        self._stage: str | None = None
        self._telling = threading.Lock()
        self._over = threading.Event()
        self._watching = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._watching.enter_context(watch_stages(self._see_stage))
        self._watching.enter_context(watch_requests(self._see_request))
        threading.Thread(target=self._tell_stages, name="stages", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.close()
        self._update(traces=self._traces)

    def __call__(self, progress: Progress) -> None:
        """Tell how far it is; a job that was cancelled goes no further.

        :raises KhubError: if it was.
        """
        self._ended.extend(progress.ended)
        self._stage = None
        with self._telling:
            ended = list(reversed(self._ended))
            more = {"at_work": progress.at_work[:MOST_FILES], "ended": ended, "stage": None}
            self._progress = cast(JobProgress, {**vars(progress), **more})
            goes_on = self._update(progress=self._progress, traces=self._traces)
        if not goes_on:  # a runner ends the process itself, an assistant's server does not
            raise KhubError("the job was cancelled", "ingest again: what is done stays", code="job_cancelled")

    def _see_stage(self, stage: StageSpan, outputs: Mapping[str, Any] | None) -> None:
        if outputs is None:
            self._stage = stage.name

    def _tell_stages(self) -> None:
        while not self._over.wait(LOOK_S):
            with self._telling:
                if self._progress and self._progress["stage"] != self._stage:
                    self._progress = {**self._progress, "stage": self._stage}
                    self._update(progress=self._progress)

    def _see_request(self, request: Request) -> None:
        if request.level != "off":
            self._traces.append(request.trace_id)

    def _update(self, **fields: Any) -> bool:
        """Change the record; where there is no room for it, the next writing of documents says so."""
        with contextlib.suppress(OSError, KhubError):
            return self._record.update(**fields)
        return True
