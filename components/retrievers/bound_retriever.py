"""The embedder and the store that a collection was filled with, built from what the catalog remembers."""

import functools
import importlib
import inspect
import json
import logging
from typing import Any

from haystack import Pipeline
from haystack.core.errors import DeserializationError, PipelineError

from components.allowed_modules import allowed_modules, is_allowed
from components.errors import BindingError, KhubError
from components.failure_reason import failure_reason
from components.home import hub_home
from components.secret_hosts import named_hosts
from components.secret_pairs import LOOPBACK, check_secrets
from components.stores.store_template import StoreTemplate
from components.subgraph import builder
from components.trust import told_hosts

notice = logging.getLogger("khub.notice")
ANEW = "put a backup of the hub's folder back, or ingest the files into a new collection"
REASON_CHARACTERS = 200


def bound_parts(binding: dict[str, Any]) -> tuple[Any, StoreTemplate]:
    """Return a collection's own text embedder and store template; the same objects for the same binding.

    :raises BindingError: if there is no text embedder to the document embedder that filled the collection, or what is
        remembered of it is damaged or names a class that may not be loaded.
    :raises SecretError: if it sends a secret where the user has not allowed it to.
    """
    try:
        return _parts(json.dumps([binding["embedder"]["component"], binding["store"]], sort_keys=True))
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
def _parts(key: str) -> tuple[Any, StoreTemplate]:
    document_embedder, store = json.loads(key)
    parts = {"embedder": document_embedder, "store": store}
    check_secrets(parts, "the collection")
    if hosts := told_hosts(hub_home(), set(named_hosts({"components": parts})) - LOOPBACK):
        notice.warning("collections in %s talk to %s", hub_home(), ", ".join(sorted(hosts)))
    embedder = {"type": _text_type(document_embedder["type"]), "init_parameters": document_embedder["init_parameters"]}
    retriever = {
        "type": "components.retrievers.dense_retriever.DenseRetriever",
        "init_parameters": {"embedder": embedder, "template": store},
    }
    graph = {"components": {"dense": _without_unknown(retriever)}, "connections": []}
    token = builder.set(_no_graph)
    try:
        built: Any = Pipeline.from_dict(graph, allowed_modules=allowed_modules()).get_component("dense")
    finally:
        builder.reset(token)
    return built.embedder, built.template


def _no_graph(name: str, _changes: dict[str, Any]) -> Any:
    """Refuse a graph as an embedder or a store: a catalog that came from elsewhere would choose what runs."""
    raise BindingError(f"the collection's embedder or store is the graph {name!r}", ANEW)


def _text_type(document_type: str) -> str:
    """Haystack's naming rule: `…document_embedder.XDocumentEmbedder` embeds texts as `…text_embedder.XTextEmbedder`."""
    return document_type.replace("document_embedder", "text_embedder").replace("DocumentEmbedder", "TextEmbedder")


def _without_unknown(retriever: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a document embedder has and a text embedder has not (batch size, progress bar …)."""
    embedder = retriever["init_parameters"]["embedder"]
    known = _parameters(embedder["type"])
    kept = {key: value for key, value in embedder["init_parameters"].items() if key in known}
    return {
        **retriever,
        "init_parameters": {**retriever["init_parameters"], "embedder": {**embedder, "init_parameters": kept}},
    }


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
