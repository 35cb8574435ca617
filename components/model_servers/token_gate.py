"""What of a model's stream is shown while it comes."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from haystack import logging
from haystack.dataclasses import StreamingChunk

logger = logging.getLogger(__name__)

THOUGHT, END_OF_THOUGHT = "<think>", "</think>"


class TokenGate:
    """Passes the tokens of an answer on, and nothing before it, instead of it or after its time.

    Held back are a thought (`<think>…</think>`) and a word that stands for no answer; both are told by the first
    characters, so that these wait until it is clear what they are.

    :param callback: gets what is passed on.
    :param silent: a reply that begins with this is not passed on.
    :param before: what is passed on before the answer.
    """

    def __init__(self, callback: Callable[[StreamingChunk], None], silent: str, before: str = "") -> None:
        self._callback = callback
        self._before = before
        self._silent = silent
        self._held = ""
        self._open = False
        self._closed = False
        self._lock = threading.Lock()

    def __call__(self, chunk: StreamingChunk) -> None:
        """Take a chunk.

        :param chunk: from the generator.
        """
        with self._lock:
            if self._closed:
                return
            if not self._open:
                self._held += chunk.content
                text = self._shown(bool(chunk.finish_reason))
                self._open = bool(text)
                chunk = replace(chunk, content=self._before + text if text else "")
            if chunk.content or chunk.finish_reason:
                self._callback(chunk)

    def close(self) -> None:
        """Pass nothing on any more."""
        with self._lock:
            self._closed = True

    def _shown(self, is_last: bool) -> str:
        """Return what of the held text can be shown, "" while that is not clear."""
        text = self._held.lstrip()
        if text.startswith(THOUGHT):
            text = text.partition(END_OF_THOUGHT)[2].lstrip()
        if text.startswith(self._silent):
            return ""
        undecided = any(word.startswith(text) for word in (THOUGHT, self._silent))
        return "" if undecided and not is_last else text


def from_any_thread(callback: Callable[[StreamingChunk], Any] | None) -> Callable[[StreamingChunk], None] | None:
    """Return a plain function that may be called in any thread, for a callback that may want this event loop.

    :param callback: a function, or a coroutine function that belongs to the loop that runs now; None stays None.
    """
    if callback is None or not inspect.iscoroutinefunction(callback):
        return callback
    loop = asyncio.get_running_loop()
    wanted = callback

    def call(chunk: StreamingChunk) -> None:
        # not waited for: whoever reads slowly must not stop the clock of the call
        asyncio.run_coroutine_threadsafe(wanted(chunk), loop).add_done_callback(_log_failure)

    return call


def _log_failure(future: Any) -> None:
    if not future.cancelled() and (error := future.exception()):
        logger.warning("a token could not be passed on: {error}", error=error)
