"""Find graphs by name, check and load them, and notice when a file has been edited."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from haystack import Pipeline

from khub.components.bounded_yaml import load_yaml
from khub.components.errors import GraphError, KhubError
from khub.components.failure_reason import failure_reason
from khub.components.missing_model import missing_model
from khub.components.secret_hosts import named_hosts, secret_uses
from khub.components.secret_pairs import LOOPBACK, check_secrets
from khub.components.subgraph import Inner, Subgraph, builder, changed_graph
from khub.components.text.nearest_name import nearest
from khub.components.trust import told_hosts
from khub.server.graphs.check import check_graph
from khub.server.graphs.folder import MOST_BYTES, SUFFIXES, graph_files, graph_folder, is_own, notice
from khub.server.graphs.problem import listing
from khub.server.graphs.sockets import input_sockets

SUBGRAPH = f"{Subgraph.__module__}.{Subgraph.__qualname__}"
GRAPH_NAME = re.compile(r"[\w-][\w.-]{,79}(/[\w-][\w.-]{,79}){,20}")  # file systems take names of 255 bytes
KEPT_INFOS = 1000


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph that is ready to run.

    :param name: the name under which it was asked for.
    :param path: its file.
    :param pipeline: the Haystack pipeline.
    :param metadata: what stands under `metadata:`.
    :param inputs: declared input -> the sockets (`component.socket`) that it feeds.
    :param outputs: declared output -> its socket.
    :param kind: `ingest`, `query`, `verify` or `evaluate`.
    :param required: the declared inputs without which it cannot run.
    :param files: its file and those of the graphs that it contains, with modification time and size.
    """

    name: str
    path: Path
    pipeline: Pipeline
    metadata: dict[str, Any]
    inputs: dict[str, list[str]]
    outputs: dict[str, str]
    kind: str
    required: frozenset[str]
    files: tuple[tuple[Path, int, int], ...] = ()
    _warm_up_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _warm: threading.Event = field(default_factory=threading.Event, repr=False)

    def is_warm(self) -> bool:
        """Whether `warm_up` has succeeded."""
        return self._warm.is_set()

    def warm_up(self) -> None:
        """Warm up every component, once; callers at the same time wait for it. A failure is tried again next time.

        :raises GraphError: naming the component that cannot be warmed up.
        :raises KhubError: what the component itself raises.
        """
        with self._warm_up_lock:
            if self._warm.is_set():
                return
            for name, instance in self.pipeline.walk():
                if hasattr(instance, "warm_up"):
                    _warm_up_component(self.name, name, instance)
            self._warm.set()


@dataclass(frozen=True)
class GraphInfo:
    """A graph file, as a list of them shows it; kind and description are empty where the file cannot be read."""

    name: str
    path: Path
    kind: str
    description: str


_loaded: dict[tuple[str, Path], Graph] = {}
_loading = threading.RLock()  # a graph may contain others
_being_loaded: ContextVar[tuple[Path, ...]] = ContextVar("being_loaded", default=())
_contained: ContextVar[list[Graph] | None] = ContextVar("contained", default=None)


def load_graph(name: str) -> Graph:
    """Return a graph, checked and built; the same object until its file is edited.

    :param name: `query` for `query.yaml` and `more/x` for `more/x.yaml` in the folder of graphs; or the path of a file
        that ends in .yaml or .yml, which may lie anywhere (so let no remote caller choose it).
    :raises GraphError: when there is no such graph, or its file has a mistake (the first one is named).
    """
    path = find_graph(name)
    key = (name, path)
    if (found := _loaded.get(key)) and _unchanged(found):
        return found
    with _loading:
        if (found := _loaded.get(key)) and _unchanged(found):  # another thread has loaded it meanwhile
            return found
        _loaded[key] = graph = _load(name, path)
        return graph


def loaded_graphs() -> list[Graph]:
    """Return the graphs that `load_graph` keeps: one that was edited goes when it is loaded anew."""
    return list(_loaded.values())


def as_graph(graph: "Graph | str") -> Graph:
    """Return a graph that is loaded already as it is, else the one of that name.

    :param graph: what a caller keeps, though its file may be another by now; or as in `load_graph`.
    """
    return graph if isinstance(graph, Graph) else load_graph(graph)


def list_graphs() -> list[GraphInfo]:
    """Return the graphs in the folder and below it (files that declare `metadata.kind`), by name; none is loaded."""
    folder = graph_folder()
    return sorted((_info(folder, file) for file in graph_files(folder)), key=lambda info: info.name)


def find_graph(name: str) -> Path:
    """Return the file of a graph.

    :param name: as in `load_graph`.
    :raises GraphError: when there is no such graph.
    """
    if name.endswith(SUFFIXES):
        path = Path(name).expanduser().absolute()
        if not path.is_file():
            raise GraphError(
                f"graph file '{name}' does not exist", "name a graph or an existing file", code="graph_unknown"
            )
        return path
    folder = graph_folder()
    if GRAPH_NAME.fullmatch(name):
        for suffix in SUFFIXES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return path
    names = [info.name for info in list_graphs()]
    if not names:
        raise GraphError(
            f"there are no graphs in {shown_path(folder)}", "name their folder by KHUB_PIPELINES", code="graph_unknown"
        )
    remedy = nearest(name, names, f"it has {listing(names)}")
    raise GraphError(f"unknown graph '{name}' in {shown_path(folder)}", remedy, code="graph_unknown")


def _info(folder: Path, file: Path) -> GraphInfo:
    try:
        about = file.stat()
    except OSError:
        return _read_info(folder, file, 0, 0)
    return _read_info(folder, file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=KEPT_INFOS)  # a page lists them each time that it is shown, and all of them take .1 s to parse
def _read_info(folder: Path, file: Path, _changed: int, _size: int) -> GraphInfo:
    name = file.relative_to(folder).with_suffix("").as_posix()
    try:
        data = load_yaml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        data = None
    metadata = data.get("metadata") if isinstance(data, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    return GraphInfo(name, file, str(metadata.get("kind", "")), " ".join(str(metadata.get("description", "")).split()))


def _unchanged(graph: Graph) -> bool:
    return all(_file_state(path) == (path, changed, size) for path, changed, size in graph.files)


def _file_state(path: Path) -> tuple[Path, int, int]:
    try:
        about = path.stat()
    except OSError as error:
        raise GraphError(
            f"graph file '{path}' cannot be read", error.strerror or str(error), code="graph_unreadable"
        ) from error
    return path, about.st_mtime_ns, about.st_size


def _is_subgraph_alone(pipeline: Pipeline) -> bool:
    return [isinstance(part, Subgraph) for _, part in pipeline.walk()] == [True]


def _load(name: str, path: Path, changes: dict[str, Any] | None = None) -> Graph:
    shown = shown_path(path)
    if path in _being_loaded.get():
        raise GraphError(f"graph '{name}' contains itself", "let it contain another one")
    own = _file_state(path)
    with containing(path) as contained:
        text = read_graph_text(path)
        if changes:  # of a file that is right: `_inner` has loaded it
            data = load_yaml(written_out(path))
            text = yaml.safe_dump(changed_graph(data, changes), sort_keys=False)
        check_trust(path, text)
        _tell_hosts(path, text)
        checked = check_graph(text, shown)
        if not changes and checked.pipeline and _is_subgraph_alone(checked.pipeline):
            checked = check_graph(written_out(path), shown)  # so that its stages are seen, traced and guarded
    if checked.pipeline is None:
        problem = checked.problems[0]
        raise replace(problem, line=None).as_error(f"{shown}, changed") if changes else problem.as_error(shown)
    metadata: dict[str, Any] = checked.data["metadata"]
    inputs = {str(n): input_sockets(declared) for n, declared in checked.data["inputs"].items()}
    outputs = {str(n): socket for n, socket in checked.data["outputs"].items()}
    kind = metadata["kind"]
    files = (own, *(file for graph in contained for file in graph.files))
    required = _required(checked.pipeline, inputs)
    return Graph(name, path, checked.pipeline, metadata, inputs, outputs, kind, required, files)


def check_trust(path: Path, text: str) -> None:
    """Refuse a graph that sends a secret where the user has not allowed it to.

    The hub's own graphs are as they came, unless another one contains and changes them.

    :raises SecretError: naming variable, host and remedy.
    """
    if not all(map(is_own, (path, *_being_loaded.get()))):
        check_secrets(_components(text), f"graph '{shown_path(path)}'")


def talks_to(graph: Graph) -> list[str]:
    """Return the hosts that a graph names, and the variables that it would send, in all its files."""
    parts = [{"components": _components(path.read_text(encoding="utf-8"))} for path, _, _ in graph.files]
    return sorted({name for part in parts for name in (*named_hosts(part), *(v for v, _ in secret_uses(part)))})


def _tell_hosts(path: Path, text: str) -> None:
    """Say where a graph talks to, once."""
    if hosts := told_hosts(path, set(named_hosts({"components": _components(text)})) - LOOPBACK):
        notice.warning("graph '%s' talks to %s", shown_path(path), ", ".join(sorted(hosts)))


def _components(text: str) -> Any:
    try:
        data = load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None  # `check_graph` says so
    return data.get("components") if isinstance(data, dict) else None


@contextmanager
def containing(path: Path) -> Iterator[list[Graph]]:
    """Let what the block builds contain graphs as `load_graph` returns them; yields those that it contains.

    :param path: the graph that the block builds.
    """
    contained: list[Graph] = []
    outer = _being_loaded.set((*_being_loaded.get(), path))
    tokens = builder.set(_inner), _contained.set(contained)
    try:
        yield contained
    finally:
        _being_loaded.reset(outer)
        builder.reset(tokens[0])
        _contained.reset(tokens[1])


def _inner(name: str, changes: dict[str, Any]) -> Inner:
    """Build a graph that the one which is being loaded contains."""
    contained = _contained.get()
    graph = load_graph(name)
    if changes:
        graph = _load(name, graph.path, changes)
    if contained is not None:
        contained.append(graph)
    return Inner(graph.pipeline, graph.inputs, graph.outputs)


def written_out(path: Path) -> str:
    """Return the text of a graph; of one that is nothing but another one, changed, as if all of it stood in its file.

    :raises GraphError: when it cannot be read, or what it says of the other one is wrong.
    """
    text = read_graph_text(path)
    try:
        data = load_yaml(text)
        ((part, entry),) = data["components"].items()
        parameters = entry["init_parameters"] if entry["type"] == SUBGRAPH else None
    except (yaml.YAMLError, RecursionError, KeyError, TypeError, ValueError, AttributeError):
        parameters = None
    if parameters is None:
        return text
    try:
        inner = load_yaml(written_out(find_graph(parameters["graph"])))
        inner = changed_graph(inner, parameters.get("changes") or {})
        inputs = {
            name: [fed for one in input_sockets(sockets) for fed in input_sockets(inner["inputs"][_socket(one)])]
            for name, sockets in data["inputs"].items()
        }
        outputs = {name: inner["outputs"][_socket(socket)] for name, socket in data["outputs"].items()}
        metadata = {**inner["metadata"], **data["metadata"]}
    except (KeyError, TypeError, AttributeError) as error:
        shown = shown_path(path)
        raise GraphError(f"'{shown}': {part} is wrong", f"see: khub graph check {shown}") from error
    data = {**inner, "metadata": metadata, "inputs": inputs, "outputs": outputs}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _socket(path: str) -> str:
    return path.partition(".")[2]


def read_graph_text(path: Path) -> str:
    """Return the text of a graph file.

    :raises GraphError: when it cannot be read.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise GraphError(
                f"graph file '{shown_path(path)}' is larger than a graph can be",
                "name another file",
                code="graph_unreadable",
            )
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        message = f"graph file '{shown_path(path)}' cannot be read: {error.reason} on line {line}"
        raise GraphError(message, "save it as UTF-8 text", code="graph_unreadable") from error
    except OSError as error:
        raise GraphError(
            f"graph file '{shown_path(path)}' cannot be read", error.strerror or str(error), code="graph_unreadable"
        ) from error


def _required(pipeline: Pipeline, inputs: dict[str, list[str]]) -> frozenset[str]:
    mandatory = {
        f"{component}.{socket}"
        for component, sockets in pipeline.inputs().items()
        for socket, about in sockets.items()
        if about["is_mandatory"]
    }
    return frozenset(name for name, sockets in inputs.items() if mandatory.intersection(sockets))


def shown_path(path: Path) -> str:
    """Return the path as messages show it: from the working folder where it lies in it."""
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def _warm_up_component(graph: str, name: str, instance: Any) -> None:
    try:
        instance.warm_up()
    except KhubError:
        raise
    except Exception as error:
        if missing := missing_model(error):
            raise GraphError(f"{graph}: {name}: {missing.message}", missing.remedy, code="graph_failed") from error
        reason = failure_reason(error)
        raise GraphError(
            f"{graph}: {name} ({type(instance).__name__}) cannot be warmed up: {reason}", code="graph_failed"
        ) from error
