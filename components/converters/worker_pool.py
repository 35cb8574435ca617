"""Several conversion workers: files at the same time, and the pages of a large PDF at the same time."""

import contextlib
import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from components.converters.worker_process import WorkerProcess

SHARED_FROM_BYTES = 200_000  # a smaller PDF is read before a second worker would have begun


class WorkerPool:
    """A few long-lived workers, each started at first need; safe to use from several threads.

    :param workers: how many, 1 or more.
    :param memory_mb: what one conversion may take beyond a worker at rest (Linux only).
    """

    def __init__(self, workers: int, memory_mb: int) -> None:
        self._all = [WorkerProcess(memory_mb) for _ in range(workers)]
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()
        for worker in reversed(self._all):
            self._idle.put(worker)

    @property
    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        return [worker.pid for worker in self._all if worker.pid is not None]

    def convert(
        self, path: str, sha256: str, max_mb: float, timeout_s: float, pictures: bool = True, pdf_engine: str = "khub"
    ) -> dict[str, Any]:
        """Convert one file, waiting for a worker.

        :param path: absolute path.
        :param sha256: digest that the file's bytes must have.
        :param max_mb: size limit in megabytes.
        :param timeout_s: seconds after which a worker is ended.
        :param pictures: whether pictures are taken out.
        :param pdf_engine: what reads PDF, see `conversion.build_markitdown`.
        :returns: what `conversion.convert_bytes` returns.
        :raises SourceError: when the file cannot be converted within the limits.
        :raises KhubError: when no worker can be started.
        """
        file = {"path": path, "sha256": sha256, "max_mb": max_mb, "pictures": pictures, "pdf_engine": pdf_engine}
        with self._worker() as worker:
            if pdf_engine == "khub" and _is_large_pdf(path):
                with self._idle_worker() as helper:
                    if helper is not None:
                        return _shared(worker, helper, file, timeout_s)
            return worker.ask({"kind": "convert", **file}, timeout_s)

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
    """Let two workers read halves of a PDF, and the first make one document of them."""
    count = worker.ask({"kind": "count", **file}, timeout_s)["count"]
    middle = (count + 1) // 2
    with ThreadPoolExecutor(1) as beside:
        rest = beside.submit(
            helper.ask, {"kind": "read", "first": middle, "last": None, "keep": False, **file}, timeout_s
        )
        worker.ask({"kind": "read", "first": 0, "last": middle, "keep": True, **file}, timeout_s)
        pages = rest.result()["pages"]
    return worker.ask({"kind": "finish", "pages": pages, **file}, timeout_s)
