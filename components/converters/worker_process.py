"""The hub's side of the conversion worker: start it, ask it, end it."""

import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import khub
from khub.components.converters.framing import read_message, write_message
from khub.components.errors import KhubError, SourceDamagedError, SourceError, SourceSizeError

_ROOT = str(Path(khub.__file__).parents[1])
# `-P` and the explicit root: the folder in which the hub is started must not decide what is imported.
_START = (
    "import sys; root, memory_mb, *plugins = sys.argv[1:]; root in sys.path or sys.path.insert(0, root); "
    "from khub.components.converters.worker import main; main(int(memory_mb), plugins)"
)
_START_LIMIT_S = 120.0


class WorkerProcess:
    """One long-lived worker, started at first need and again after it was lost; safe to use from several threads.

    It ends with `close`, with this object, and with the interpreter.

    :param memory_mb: what one conversion may take beyond the worker at rest (Linux only).
    :param plugins: names of MarkItDown's plug-ins that it may be asked for.
    """

    def __init__(self, memory_mb: int, plugins: Sequence[str] = ()) -> None:
        self.memory_mb = memory_mb
        self.plugins = plugins
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the running worker; None when there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start the worker, if it does not run.

        :raises KhubError: when it cannot be started.
        """
        with self._lock:
            if self.pid is None:
                self._start()

    def ask(self, request: dict[str, Any], timeout_s: float, since: float | None = None) -> dict[str, Any]:
        """Let the worker do something with a file.

        :param request: what `worker_requests.Requests` understands, with the file's `path`.
        :param timeout_s: seconds after which the worker is ended.
        :param since: `time.monotonic()` from which they count, in one of several requests for a file; None for now. The
            worker is started only in the latter case, as another would know nothing of the requests before.
        :returns: the reply.
        :raises SourceError: when the file cannot be converted within the limits.
        :raises KhubError: when no worker can be started.
        """
        name = Path(request["path"]).name
        with self._lock:
            if self.pid is None:
                if since is not None:
                    raise _stopped(name)
                self._start()
            left = timeout_s if since is None else max(since + timeout_s - time.monotonic(), 0.0)
            reply, timed_out = self._exchange({**request, "timeout_s": left}, left)
            if reply is None:
                raise self._lost(name, timed_out, timeout_s)
            if reply.get("out_of_memory"):
                self.close()
                raise SourceSizeError(
                    f"{name!r} needs more than {self.memory_mb} MB of memory to convert",
                    "split the file, or raise memory_mb",
                )
        if "error" in reply:
            raise SourceError(reply["error"], reply["remedy"], code=reply["code"])
        return reply

    def close(self) -> None:
        """End the worker; the next conversion starts another."""
        finalizer, self._finalizer, self._process = self._finalizer, None, None
        if finalizer is not None:
            finalizer()

    def _start(self) -> None:
        self.close()
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, _ROOT, str(self.memory_mb), *self.plugins],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._process = process
        self._finalizer = weakref.finalize(self, _end, process)
        hello, timed_out = self._exchange(None, _START_LIMIT_S)
        if hello is None or not hello["ready"]:
            reason = hello["error"] if hello else "too slow" if timed_out else f"it ended with {process.wait()}"
            self.close()
            raise KhubError(
                f"the conversion worker did not start ({reason})",
                "check the installation of markitdown",
                code="program_failed",
            )

    def _exchange(self, request: dict[str, Any] | None, timeout_s: float) -> tuple[dict[str, Any] | None, bool]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None, False
        timed_out = threading.Event()

        def give_up() -> None:
            timed_out.set()
            process.kill()

        timer = threading.Timer(timeout_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            if request is not None:
                write_message(process.stdin, request)  # type: ignore[arg-type]
            return read_message(process.stdout), timed_out.is_set()  # type: ignore[arg-type]
        except (OSError, ValueError):  # the pipe broke, or was closed by another thread
            return None, timed_out.is_set()
        finally:
            timer.cancel()

    def _lost(self, name: str, timed_out: bool, timeout_s: float) -> SourceError:
        process = self._process
        code = None
        if process is not None:
            process.kill()  # no more than a formality for one that crashed
            code = process.wait()
        self.close()
        if timed_out:
            return SourceError(
                f"the conversion of {name!r} took longer than {timeout_s:g} s",
                "split the file, or raise timeout_s",
                code="source_timeout",
            )
        if code is None:
            return _stopped(name)
        return SourceDamagedError(
            f"the parser crashed on {name!r} (exit code {code})",
            "open and save it with the program that made it, or replace it",
        )


def _stopped(name: str) -> SourceError:
    return SourceError(f"the conversion of {name!r} was stopped", "ingest it again", code="job_cancelled")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # an unsent rest of a request
                continue
