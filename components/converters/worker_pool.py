"""Several conversion workers: files at the same time, and the pages of a large PDF at the same time."""

import contextlib
import queue
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from khub.components.converters.file_types import PDF_ENGINES
from khub.components.converters.mail.attachment import Room
from khub.components.converters.worker_process import WorkerProcess
from khub.components.errors import SourceError

SHARED_FROM_BYTES = 200_000  # a smaller PDF is read before a second worker would have begun


class _HelperError(Exception):
    """The second worker did not do its share."""


class WorkerPool:
    """A few long-lived workers, each started at first need; safe to use from several threads.

    :param workers: how many, 1 or more.
    :param memory_mb: what one conversion may take beyond a worker at rest (Linux only).
    :param plugins: names of MarkItDown's plug-ins that they may be asked for.
    """

    def __init__(self, workers: int, memory_mb: int, plugins: Sequence[str] = ()) -> None:
        self._all = [WorkerProcess(memory_mb, plugins) for _ in range(workers)]
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()
        for worker in reversed(self._all):
            self._idle.put(worker)

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        return [worker.pid for worker in self._all if worker.pid is not None]

    def convert(
        self,
        path: str,
        sha256: str,
        max_mb: float,
        timeout_s: float,
        pictures: bool = True,
        pdf_engine: str = PDF_ENGINES[0],
        room: Room | None = None,
    ) -> dict[str, Any]:
        """Convert one file, waiting for a worker.

        :param path: absolute path.
        :param sha256: digest that the file's bytes must have.
        :param max_mb: size limit in megabytes.
        :param timeout_s: seconds after which a worker is ended.
        :param pictures: whether pictures are taken out.
        :param pdf_engine: what reads PDF, one of `PDF_ENGINES`.
        :param room: where the files attached to a mail go; None: they stay in it.
        :returns: what `conversion.convert_bytes` returns.
        :raises SourceError: when the file cannot be converted within the limits.
        :raises KhubError: when no worker can be started.
        """
        file = {"path": path, "sha256": sha256, "max_mb": max_mb, "pictures": pictures, "pdf_engine": pdf_engine}
        with self._worker() as worker:
            if pdf_engine == PDF_ENGINES[0] and _is_large_pdf(path):
                with self._idle_worker() as helper:
                    if helper is not None:
                        return _shared(worker, helper, file, timeout_s)
            request = {"kind": "convert", **file, **({"room": asdict(room)} if room is not None else {})}
            return worker.ask(request, timeout_s)

    def convert_by_plugin(self, path: str, sha256: str, timeout_s: float) -> dict[str, Any]:
        """Convert one file of a plug-in's format, waiting for a worker; the rest is as for `convert`."""
        with self._worker() as worker:
            return worker.ask({"kind": "plugin", "path": path, "sha256": sha256}, timeout_s)

    def close(self) -> None:
        """End the workers; the next conversion starts others."""
        for worker in self._all:
            worker.close()

    @contextlib.contextmanager
    def _worker(self) -> Iterator[WorkerProcess]:
        worker = self._idle.get()
        try:
            yield worker
        finally:
            self._idle.put(worker)

    @contextlib.contextmanager
    def _idle_worker(self) -> Iterator[WorkerProcess | None]:
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            yield None
            return
        try:
            yield worker
        finally:
            self._idle.put(worker)


def _is_large_pdf(path: str) -> bool:
    file = Path(path)
    with contextlib.suppress(OSError):  # whoever reads it will say what is wrong
        return file.suffix.lower() == ".pdf" and file.stat().st_size >= SHARED_FROM_BYTES
    return False


def _shared(worker: WorkerProcess, helper: WorkerProcess, file: dict[str, Any], timeout_s: float) -> dict[str, Any]:
    """Let two workers read every other page of a PDF each, and the first make one document of them.

    When the helper is lost, or fails, the first does it all: it will name the reason, if that lies in the file.
    """
    with ThreadPoolExecutor(1) as beside:
        starting = beside.submit(helper.start)
        worker.start()
        starting.result()
        since = time.monotonic()

        def both(kind: str, **more: Any) -> list[dict[str, Any]]:
            request = {"kind": kind, "step": 2, **more, **file}
            theirs = beside.submit(helper.ask, {**request, "first": 1, "give": True}, timeout_s, since)
            own = worker.ask({**request, "first": 0, "give": False}, timeout_s, since)
            try:
                other = theirs.result()
            except SourceError as error:
                raise _HelperError from error
            return [own, other]

        try:
            found = both("read")
            counted = both("clean", found=found)
            _, rest = both("draft", counted=counted)
        except _HelperError:
            return worker.ask({"kind": "convert", **file}, timeout_s, since)
        return worker.ask({"kind": "finish", "others": [rest], **file}, timeout_s, since)
