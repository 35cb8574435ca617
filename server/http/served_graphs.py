"""The graphs that the service runs: each as its file is now, or was when it was last right."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from khub.components.errors import GraphError, KhubError
from khub.server.graphs.folder import SUFFIXES
from khub.server.graphs.load import GRAPH_NAME, Graph, find_graph, load_graph

RUN_KINDS = ("query", "verify", "ingest")
AGAIN_S = 0.5
"""A graph that is wrong is not looked at again before, unless its file has changed."""
LOADING_S = 1.0
"""So long a request waits for what was edited, from when its loading began; then it has the graph before."""
SAVING_S = 0.1
"""So long may a file be away while an editor puts another in its place."""
logger = logging.getLogger(__name__)


class UnknownGraphError(GraphError):
    """A name that no graph has."""

    code = "graph_unknown"


@dataclass
class _State:
    """What is known of a graph.

    :param good: as it was last seen to be right.
    :param error: why it cannot be used as it is now.
    :param tried_at: when it was looked at last.
    :param tried: its file as it was then.
    :param cold: what has loaded, and would not warm up.
    """

    good: Graph | None = None
    error: KhubError | None = None
    tried_at: float = 0.0
    tried: tuple[int, int] = (0, 0)
    cold: Graph | None = None
    trying: threading.Lock = field(default_factory=threading.Lock)


class ServedGraphs:
    """Finds graphs by name; where an edit is wrong, the graph before it goes on."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}

    def usable(self, name: str) -> Graph:
        """Return a graph that is warm; the one before where the new one takes long to load, or is wrong.

        :raises UnknownGraphError: if there is none of that name.
        :raises KhubError: if it has never been right.
        """
        state = self._state(name)
        with state.trying if state.good is None else _soon(state) as ours:
            if ours and (state.error is None or _is_due(name, state)):
                self._try(name, state)
        if state.good is not None:
            return state.good
        raise state.error or GraphError(f"graph '{name}' cannot be used", "ask again")

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Load what is edited while the block runs, so that of several workers all have seen each edit."""
        stop = threading.Event()

        def follow() -> None:
            while not stop.wait(AGAIN_S):
                for name in [name for name, state in self._states.items() if state.good is not None]:
                    try:
                        self.usable(name)
                    except KhubError:
                        continue  # it stands in the log
                    except Exception:  # a graph's parts may raise anything, and the others are followed on
                        logger.exception("graph '%s' cannot be looked at", name)

        thread = threading.Thread(target=follow, name="graphs followed", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()

    def seen(self, name: str) -> tuple[Graph | None, str]:
        """Return a graph without making it warm, and what is wrong with it.

        :returns: None where it has never been right; an empty text where nothing is wrong.
        :raises UnknownGraphError: if there is none of that name.
        """
        state = self._state(name)
        try:
            graph = load_graph(name)
        except KhubError as error:
            return state.good, str(error)
        return (state.good, str(state.error)) if graph is state.cold else (graph, "")

    def is_warm(self, name: str) -> bool:
        """Say whether a graph has been right once."""
        state = self._states.get(name)
        return state is not None and state.good is not None

    def _state(self, name: str) -> _State:
        is_name = GRAPH_NAME.fullmatch(name) and not name.endswith(SUFFIXES)  # never a path that a caller has chosen
        if not is_name or not (_is_there(name) or (name in self._states and _comes_back(name))):
            raise UnknownGraphError(f"there is no graph {name[:100]!r}", "see GET /graphs")
        return self._states.setdefault(name, _State())

    def _try(self, name: str, state: _State) -> None:
        graph, state.tried_at, state.tried = None, time.monotonic(), _file_of(name)
        try:
            graph = load_graph(name)
            if graph.kind in RUN_KINDS:
                graph.warm_up()
        except KhubError as error:
            if str(error) != str(state.error):
                logger.error("graph '%s' cannot be used: %s", name, error)
            state.error, state.cold = error, graph
        else:
            state.good, state.error, state.cold = graph, None, None


def _is_there(name: str) -> bool:
    try:
        find_graph(name)
    except GraphError:
        return False
    return True


def _comes_back(name: str) -> bool:
    time.sleep(SAVING_S)
    return _is_there(name)


def _is_due(name: str, state: _State) -> bool:
    return time.monotonic() - state.tried_at > AGAIN_S or _file_of(name) != state.tried


def _file_of(name: str) -> tuple[int, int]:
    """Return modification time and size of a graph's file; zeros where an editor has just taken it away."""
    try:
        about = find_graph(name).stat()
    except (GraphError, OSError):
        return 0, 0
    return about.st_mtime_ns, about.st_size


@contextmanager
def _soon(state: _State) -> Iterator[bool]:
    """Take the lock of a graph, unless another caller has been loading it for long."""
    taken = state.trying.acquire(timeout=max(0.0, state.tried_at + LOADING_S - time.monotonic()))
    try:
        yield taken
    finally:
        if taken:
            state.trying.release()
