"""Open what a graph names, as far as that costs nothing and leaves nothing: stores, own models, servers of others."""

import re
import secrets
import socket
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from haystack import Document, Pipeline
from haystack.core.serialization import component_to_dict
from haystack.document_stores.types import DuplicatePolicy

from khub.components.bounded_call import BoundedCalls
from khub.components.component_entry import ComponentEntry
from khub.components.errors import KhubError
from khub.components.failure_reason import failure_reason
from khub.components.missing_model import missing_model
from khub.components.own_names import is_own
from khub.components.private_files import private_folder
from khub.components.secret_hosts import secret_uses
from khub.components.stores.drop_index import drop_index
from khub.components.stores.found_by_words import found_by_words
from khub.components.stores.index_entries import bare_document
from khub.components.stores.store_failure import told_by_store
from khub.components.stores.store_protocol import close_store
from khub.components.stores.store_template import StoreTemplate
from khub.server.graphs.examination import MODELS
from khub.server.graphs.load import load_graph

OPENED, FAILED, NOT_CHECKED = "opened", "could not be opened", "not checked"
OF_OTHERS = re.compile(r"\.(document_stores|embedders|rankers|generators|llm)\.")
"""In the type of what a library opens or asks when it is first used."""
ADDRESS = re.compile("https?://")
OWN_MODELS = (*MODELS, "folder")
"""Parameters of the hub's own components that name a model of whatever kind."""

IN_FOLDER = re.compile(r"[~/]|\.{1,2}/")
LIMIT_S = 60.0
CONNECT_S = 3.0
_calls = BoundedCalls("open", max_hung=4)


@dataclass(frozen=True)
class OpenedPart:
    """What came of opening a part of a graph.

    :param component: the graph's component that holds it.
    :param part: its class.
    :param state: `opened`, `could not be opened` or `not checked`.
    :param said: figures, or why.
    :param remedy: what to do where it could not be opened.
    """

    component: str
    part: str
    state: str
    said: str = ""
    remedy: str = ""


def unopened_parts(data: Any) -> list[str]:
    """Return the classes of stores and models in the data of a graph that are not the hub's own, each once."""
    types = [entry["type"] for entry in _entries(data)]
    return sorted({_class(kind) for kind in types if _is_of_others(kind)})


def open_parts(path: Path) -> list[OpenedPart]:
    """Open the stores and models of a graph that has no problems.

    In each store an index of a name of its own is made, a vector is written and searched, and it is deleted again; a
    local store is one in a temporary folder. Models that came with the hub are loaded. A model's server is connected
    to, and asked nothing; providers and models of other libraries are not checked.

    :param path: the graph's file.
    """
    return list(_of_pipeline(load_graph(str(path)).pipeline))


def _of_pipeline(pipeline: Pipeline, inside: str = "") -> Iterator[OpenedPart]:
    parts = [(f"{inside}{name}", getattr(part, "component", part)) for name, part in pipeline.walk()]
    size = None
    for name, part in parts:
        if isinstance(within := getattr(part, "pipeline", None), Pipeline):
            yield from _of_pipeline(within, f"{name}.")
            continue
        entry = component_to_dict(part, name)
        others = [one for one in _entries(entry, stores=False) if _is_of_others(one["type"]) or _asks_server(one)]
        yield from (_of_others(name, one, entry) for one in others)
        if not others and any(key in one["init_parameters"] for one in _entries(entry) for key in OWN_MODELS):
            inner = getattr(part, "embedder", None) or getattr(part, "ranker", None)
            opened = _opened(name, type(inner or part).__name__, lambda p=part: _model(p))  # type: ignore[misc]
            size = size or (int(opened.said.split()[0]) if opened.said and opened.state == OPENED else None)
            yield opened
    for name, part in parts:
        if isinstance(template := getattr(part, "template", None), StoreTemplate):
            yield _opened(name, template.class_name, lambda t=template: _store(t, size))  # type: ignore[misc]


def _entries(value: Any, stores: bool = True) -> Iterator[ComponentEntry]:
    """Yield the objects in the data of a graph, as `{type, init_parameters}`.

    :param stores: also those of store templates.
    """
    if isinstance(value, list):
        for item in value:
            yield from _entries(item, stores)
    if not isinstance(value, dict):
        return
    kind = value.get("type")
    if isinstance(kind, str) and "." in kind:
        yield {"type": kind, "init_parameters": value.get("init_parameters") or {}}
    for key, item in value.items():
        if stores or key != "template":
            yield from _entries(item, stores)


def _is_of_others(kind: str) -> bool:
    return not is_own(kind) and bool(OF_OTHERS.search(kind))


def _asks_server(entry: ComponentEntry) -> bool:
    """Whether an address is a parameter of it, whoever's class it is."""
    return any(isinstance(value, str) and ADDRESS.match(value) for value in entry["init_parameters"].values())


def _class(kind: str) -> str:
    return kind.rpartition(".")[2]


def _opened(component: str, part: str, work: Callable[[], str]) -> OpenedPart:
    call = _calls.start(work, LIMIT_S)
    try:
        try:
            return OpenedPart(component, part, OPENED, call.result(LIMIT_S))
        except TimeoutError:
            if call.done():
                raise
            raise _calls.give_up(call, LIMIT_S) from None
    except KhubError as error:
        return OpenedPart(component, part, FAILED, error.message, error.remedy)
    except Exception as error:  # a library may raise anything
        if missing := missing_model(error):
            return OpenedPart(component, part, FAILED, missing.message, missing.remedy)
        return OpenedPart(component, part, FAILED, failure_reason(error), "correct its parameters")


def _model(part: Any) -> str:
    """Load a model of the hub's own; return how long its vectors are, where it makes any."""
    part.warm_up()
    embedder = getattr(part, "embedder", None)
    if embedder is None:
        return ""
    if "TextEmbedder" in type(embedder).__name__:
        return f"{len(embedder.run(text='heron')['embedding'])} dimensions"
    (document,) = embedder.run(documents=[Document(content="heron")])["documents"]
    return f"{len(document.embedding)} dimensions"


def _store(template: StoreTemplate, size: int | None) -> str:
    physical = f"check_{secrets.token_hex(4)}_g1"
    with tempfile.TemporaryDirectory(prefix="khub-check-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        for parent in template.parents(physical, home):
            private_folder(parent)
        with told_by_store(template):
            store, retriever = template.build(physical, home)
        try:
            with told_by_store(template):
                store.count_documents()
                if size is not None:
                    vector = [1.0] + [0.0] * (size - 1)
                    words_of = Document(content="heron") if template.keywords else None
                    store.write_documents([bare_document("check", vector, words_of)], policy=DuplicatePolicy.OVERWRITE)
                    retriever.run(query_embedding=vector, top_k=1)
                    if template.keywords:
                        found_by_words(template.keyword_retriever(store), "heron", 1)
        finally:
            close_store(store)
            drop_index(template, physical, home)
    return f"takes {size} dimensions" if size else ""


def _of_others(component: str, entry: ComponentEntry, holder: dict[str, Any]) -> OpenedPart:
    part = _class(entry["type"])
    addresses = [text for text in _texts(entry["init_parameters"]) if ADDRESS.match(text)]
    if addresses:
        return _server(component, part, addresses[0])
    model = entry["init_parameters"].get("model")
    if isinstance(model, str) and IN_FOLDER.match(model) and not Path(model).expanduser().exists():
        return OpenedPart(component, part, FAILED, f"there is no model folder {model}", "name one that is there")
    if secret_uses({"components": {component: holder}}):
        return OpenedPart(component, part, NOT_CHECKED, "its provider would be asked, which may cost money")
    return OpenedPart(component, part, NOT_CHECKED, "its model is loaded, or fetched, when it is first used")


def _server(component: str, part: str, address: str) -> OpenedPart:
    about = urlsplit(address)
    host, port = about.hostname or "", about.port or {"http": 80, "https": 443}[about.scheme]
    if about.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return OpenedPart(component, part, NOT_CHECKED, f"{host} is reached through a proxy")
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError as error:
        reason = f"no server answers at {about.scheme}://{host}:{port} ({error.strerror or error})"
        return OpenedPart(component, part, FAILED, reason, "start it, or set another address in the graph")
    return OpenedPart(component, part, OPENED, f"{host}:{port} answers; it was asked nothing, which may cost money")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)
