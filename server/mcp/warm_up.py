"""Load what answers a question in the background, once the client has been greeted."""

import asyncio
import gc
import importlib
import logging
import threading

logger = logging.getLogger(__name__)

NATIVE_MODULES = ("numpy", "tantivy", "chromadb_rust_bindings", "pydantic_core")
"""On Windows, a thread that is the first to import one of these can wait for ever for the loader of the system."""

WARMED_GRAPH = "query"


def import_native_modules() -> None:
    """Import the compiled modules, on the thread that calls: the main one, before it serves anybody."""
    for name in NATIVE_MODULES:
        importlib.import_module(name)


class WarmUp:
    """Imports Haystack, and loads the default graph with its models.

    It begins with the first request that was answered, so that the greeting does not wait for it.
    """

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._done = threading.Event()

    def begin(self) -> None:
        """Begin, unless that was done."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="warm-up", daemon=True)
                self._thread.start()

    async def finished(self) -> None:
        """Wait until all is loaded, or could not be: whoever needs it then says why."""
        if self._done.is_set():
            return
        self.begin()
        await asyncio.to_thread(self._done.wait)

    def _work(self) -> None:
        gc.disable()  # to search all that is imported for cycles takes a tenth of the time
        try:
            _load()
        except Exception as error:
            logger.warning("the warm-up failed, the first question will say why: %s", error, exc_info=error)
        finally:
            gc.enable()
            self._done.set()


def _load() -> None:
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    import khub.server.questions.ask  # noqa: F401
    from khub.server.graphs.load import load_graph

    load_graph(WARMED_GRAPH).warm_up()
