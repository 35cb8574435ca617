"""Recordings of sound and film: what is said in them becomes text."""

import hashlib
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

from haystack import default_from_dict, default_to_dict

from khub.components.bounded_call import BoundedCalls
from khub.components.cancellation import RunCancelledError, stop_if_cancelled
from khub.components.converters.chapters import chapters_beside
from khub.components.converters.document_title import sensible_title
from khub.components.converters.file_types import SOUND_TYPES
from khub.components.converters.source_reader import check_source, status_of
from khub.components.converters.speech.speech_cache import SpeechCache
from khub.components.converters.speech.speech_model import PACKAGED, check_model, model_fingerprint, speech_model
from khub.components.converters.spoken_text import Said, spoken_text
from khub.components.converters.worker_process import WorkerProcess
from khub.components.errors import KhubError, ParameterError, SourceEmptyError, SourceError
from khub.components.text.time_marks import time_mark

logger = logging.getLogger(__name__)

_VERSION = 1
_LOADING_S = 60.0
_SKIPPED = 20.0
"""So many seconds of sound are passed over in a second, where a recording goes on at a later place; it is far more."""
_LOOK_S = 0.2
DAMAGED = "pieces of sound that cannot be decoded"


class SpeechReader:
    """Transcribes recordings by Whisper (extra `speech`) in a process of its own, window by window.

    The language is told by the sound. Each finished window is kept in `{home}/cache/speech.sqlite3`: an interrupted
    recording goes on behind the last one, and none is ever transcribed twice by one model. A cancelled run ends the
    process at once. Nothing is fetched from the network, unless `model` names one of the Hugging Face hub.

    :param model: `whisper-base`, whose weights come with the extra; the path of a model's folder (CTranslate2's form,
        as of faster-whisper); or the name of one of the Hugging Face hub, such as `small`, which is fetched when it is
        first needed.
    :param threads: processor threads of the recognition.
    :param window_s: length of a window in seconds, at most; one is in memory at a time.
    :param slowness: seconds that a second of sound may take, before a window fails; a minute is added for loading.
    :param max_mb: largest accepted file, in megabytes.
    :param memory_mb: memory in megabytes that the recognition may take (enforced on Linux).
    :raises GraphError: when a number is too small.
    """

    def __init__(
        self,
        model: str = PACKAGED,
        threads: int = 1,
        window_s: float = 300.0,
        slowness: float = 5.0,
        max_mb: float = 4000,
        memory_mb: int = 3000,
    ) -> None:
        for name, value, least in (("threads", threads, 1), ("window_s", window_s, 30), ("slowness", slowness, 0.1)):
            if value < least:
                raise ParameterError(f"SpeechReader has {name}={value}", f"give {least} or more")
        self.model = model
        self.threads = threads
        self.window_s = window_s
        self.slowness = slowness
        self.max_mb = max_mb
        self.memory_mb = memory_mb
        self.extensions = frozenset(SOUND_TYPES)
        self._worker = WorkerProcess(memory_mb)
        self._lock = threading.Lock()

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            model=self.model,
            threads=self.threads,
            window_s=self.window_s,
            slowness=self.slowness,
            max_mb=self.max_mb,
            memory_mb=self.memory_mb,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SpeechReader":
        """Load from a graph."""
        reader: SpeechReader = default_from_dict(cls, data)
        return reader

    def check(self, path: Path) -> None:
        """Refuse a recording that cannot be read, as far as that shows at once.

        :raises SourceError: when its size is wrong, or the extra or the model is not there.
        """
        check_source(path, self.max_mb)
        try:
            check_model(self.model)
        except KhubError as error:
            raise _of_the_file(path, error) from error

    def fingerprint(self, folder: Path) -> str:
        """Name what decides what is heard.

        :param folder: of the model.
        """
        return f"{model_fingerprint(folder)} {self.window_s:g} {_VERSION}"

    def read(self, path: Path, sha256: str) -> dict[str, Any]:
        """Return the fields of a document: `text`, `time_marks`, `title` and `metadata`.

        Recordings are read one at a time: each takes all of a processor.

        :param path: the recording.
        :param sha256: of its bytes.
        :raises SourceError: when it cannot be transcribed, or nothing is said in it.
        :raises RunCancelledError: when nobody waits for it any more.
        """
        self.check(path)
        try:
            folder = speech_model(self.model)
        except KhubError as error:
            raise _of_the_file(path, error) from error
        _check_bytes(path, sha256)
        while not self._lock.acquire(timeout=_LOOK_S):
            stop_if_cancelled()
        try:
            windows = list(self._windows(path, sha256, folder))
        finally:
            self._lock.release()
        return _document(path, windows)

    def rest(self) -> None:
        """End the process if no recording is read now: its model is half a gigabyte."""
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()

    def close(self) -> None:
        """End the process; a later recording starts another."""
        self._worker.close()

    def _windows(self, path: Path, sha256: str, folder: Path) -> Iterator[dict[str, Any]]:
        cache = SpeechCache(self.fingerprint(folder))
        done = cache.get(sha256)
        yield from done
        start, language = (done[-1]["next"], done[-1]["language"]) if done else (0.0, None)
        if done and start is not None:
            logger.info("%s goes on at %s", path.name, time_mark(start))
        while start is not None:
            request = {
                "kind": "speech", "path": str(path), "start": start, "window_s": self.window_s, "language": language,
                "model": str(folder), "threads": self.threads,
            }  # fmt: skip
            window = self._ask(request)
            cache.put(sha256, len(done), window)
            done.append(window)
            yield window
            start, language = window["next"], window["language"]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Let the process do a window; end it once the run is cancelled."""
        timeout_s = _LOADING_S + self.slowness * self.window_s + request["start"] / _SKIPPED
        call = BoundedCalls("khub-speech").start(lambda: self._worker.ask(request, timeout_s))
        try:
            while not wait([call], _LOOK_S).done:
                stop_if_cancelled()
        except RunCancelledError:
            self.close()
            raise
        return call.result()


def _of_the_file(path: Path, error: KhubError) -> SourceError:
    return SourceError(f"{path.name!r} was not read: {error.message}", error.remedy, code=error.code)


def _check_bytes(path: Path, sha256: str) -> None:
    """Refuse a file whose bytes are others than those that were recorded.

    :raises SourceError: when they are, or it cannot be read.
    """
    status_of(path)
    try:
        with path.open("rb") as stream:
            same = hashlib.file_digest(stream, "sha256").hexdigest() == sha256
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read ({error.strerror})", "check the disk") from error
    if not same:
        raise SourceError(f"{path.name!r} changed while it was read", "ingest it again", code="source_changed")


def _document(path: Path, windows: list[dict[str, Any]]) -> dict[str, Any]:
    said = [Said(start, end, text) for window in windows for start, end, text in window["pieces"]]
    if not said:
        raise SourceEmptyError(f"nothing is said in {path.name!r}", "leave it out, or name a larger model")
    about = dict(windows[0]["about"])
    title = sensible_title(about.pop("title", None))
    duration = about.pop("duration", None) or said[-1].end
    metadata = {key: value for key, value in about.items() if value} | {"duration": time_mark(duration)}
    chapters = chapters_beside(path)
    title = title or (path.stem if chapters else None)  # or the first chapter's title would be taken for it
    damaged = max((window.get("damaged", 0) for window in windows), default=0)
    removed = {"removed": {DAMAGED: damaged}} if damaged else {}
    return {**spoken_text(said, chapters), "title": title, "metadata": metadata, **removed}
