"""The embedder and the store that a collection was filled with, built from what the catalog remembers."""

import contextlib
import functools
import importlib
import inspect
import json
import logging
from collections.abc import Iterator
from typing import Any

from haystack import Pipeline
from haystack.core.errors import DeserializationError, PipelineError

from khub.components.allowed_modules import allowed_modules, is_allowed
from khub.components.call_time import loading
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.component_entry import ComponentEntry
from khub.components.errors import BindingError, KhubError
from khub.components.failure_reason import failure_reason
from khub.components.home import hub_home
from khub.components.model_servers.served_run import by_server
from khub.components.remote_code import check_remote_code
from khub.components.secret_hosts import named_hosts
from khub.components.secret_pairs import LOOPBACK, check_secrets
from khub.components.stores.store_template import StoreTemplate
from khub.components.subgraph import builder
from khub.components.trust import told_hosts

notice = logging.getLogger("khub.notice")
ANEW = "put a backup of the hub's folder back, or ingest the files into a new collection"
REASON_CHARACTERS = 200
OF_QUESTIONS = {
    "search_document": "search_query",
    "retrieval.passage": "retrieval.query",
    "passage: ": "query: ",
    "search_document: ": "search_query: ",
}
"""What tells a model that a text is a passage (Cohere, Jina, E5, Nomic) -> what tells it that it is a question."""
AROUND = ("prefix", "suffix")


def bound_store(store: dict[str, Any]) -> StoreTemplate:
    """Return a store template that the catalog remembers, also where the embedder beside it cannot be built any more.

    :raises BindingError: as `bound_parts` does.
    :raises SecretError: as `bound_parts` does.
    """
    with _damage_told():
        return _parts(json.dumps([store], sort_keys=True))[1]


def bound_parts(binding: CollectionBinding) -> tuple[Any, StoreTemplate]:
    """Return a collection's own text embedder and store template; the same objects for the same binding.

    :raises BindingError: if there is no text embedder to the document embedder that filled the collection, or what is
        remembered of it is damaged or names a class that may not be loaded.
    :raises SecretError: if it sends a secret where the user has not allowed it to.
    :raises GraphError: if it would run the code of a model that the user has not allowed.
    """
    with _damage_told():
        embedder = binding["embedder"]
        return _parts(json.dumps([binding["store"], embedder["component"], embedder.get("question")], sort_keys=True))


@contextlib.contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except KhubError:
        raise
    except (TypeError, KeyError, AttributeError, ValueError, PipelineError, DeserializationError) as error:
        origin: BaseException = error
        while origin.__cause__ is not None:
            origin = origin.__cause__
        if isinstance(origin, KhubError):
            raise origin  # noqa: B904 - `from` would hide what it was raised from
        reason = failure_reason(origin)[:REASON_CHARACTERS]
        what = "what the catalog says of a collection's embedder or store is wrong"
        raise BindingError(f"{what} ({reason})", ANEW) from error


@functools.lru_cache(maxsize=32)
@loading()  # the library of a model may take longer to import than a question has
def _parts(key: str) -> tuple[Any, StoreTemplate]:
    store, *of_documents = json.loads(key)
    if of_documents:
        embedder, question = of_documents
        embedder["init_parameters"] = _of_question(embedder["init_parameters"], question)
    parts = {"store": store, "embedder": of_documents[:1]}
    check_secrets(parts, "the collection")
    check_remote_code(parts, "the collection")
    if hosts := told_hosts(hub_home(), set(named_hosts({"components": parts})) - LOOPBACK):
        notice.warning("collections in %s talk to %s", hub_home(), ", ".join(sorted(hosts)))
    parameters = {"template": store}
    if of_documents:
        parameters["embedder"] = _text_embedder(*of_documents)
    retriever = {"type": "khub.components.retrievers.dense_retriever.DenseRetriever", "init_parameters": parameters}
    graph = {"components": {"dense": retriever}, "connections": []}
    token = builder.set(_no_graph)
    try:
        built: Any = Pipeline.from_dict(graph, allowed_modules=allowed_modules()).get_component("dense")
    finally:
        builder.reset(token)
    return built.embedder and by_server(built.embedder), built.template


def _no_graph(name: str, _changes: dict[str, Any]) -> Any:
    """Refuse a graph as an embedder or a store: a catalog that came from elsewhere would choose what runs."""
    raise BindingError(f"the collection's embedder or store is the graph {name!r}", ANEW)


def _text_type(document_type: str) -> str:
    """Haystack's naming rule: `…document_embedder.XDocumentEmbedder` embeds texts as `…text_embedder.XTextEmbedder`."""
    return document_type.replace("document_embedder", "text_embedder").replace("DocumentEmbedder", "TextEmbedder")


def _text_embedder(document_embedder: ComponentEntry, question: dict[str, Any] | None) -> ComponentEntry:
    """Return the embedder of questions, without what that has not (batch size, progress bar …)."""
    given, text_type = document_embedder["init_parameters"], _text_type(document_embedder["type"])
    known = _parameters(text_type)
    needed = [key for key in given if key not in known and (key in (question or {}) or (key in AROUND and given[key]))]
    if needed:
        name = text_type.rpartition(".")[2]
        remedy = "take it out of the ingest graph, or name an embedder that has it for both"
        raise BindingError(f"{name} has no parameter {needed[0]!r} for the question", f"{remedy}, then khub reindex")
    return {"type": text_type, "init_parameters": {key: value for key, value in given.items() if key in known}}


def _of_question(parameters: dict[str, Any], question: dict[str, Any] | None) -> dict[str, Any]:
    """Return the parameters of a document embedder as they are for a question."""
    turned = {
        key: OF_QUESTIONS.get(value, value) if isinstance(value, str) else value for key, value in parameters.items()
    }
    return {**turned, **(question or {})}


def _parameters(type_name: str) -> set[str]:
    module, _, name = type_name.rpartition(".")
    if not is_allowed(module):
        remedy = f"allow its module as for the ingest; if that was not you, {ANEW}"
        raise BindingError(f"the collection's embedder {type_name} may not be loaded", remedy)
    try:
        embedder_class: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise BindingError(
            f"there is no text embedder {type_name}", "name the embedder of the question in the query graph"
        ) from error
    return set(inspect.signature(embedder_class.__init__).parameters)
