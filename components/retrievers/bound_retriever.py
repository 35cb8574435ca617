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
    with _told_as_damage():
        return _parts(json.dumps([binding["embedder"]["component"], binding["store"]], sort_keys=True))


def bound_picture_parts(bound: dict[str, Any]) -> Any:
    """Return what embeds a collection's pictures, with the text embedder of the same space as its `text_embedder`.

    :param bound: what the collection's binding says of them; the same object for the same.
    :raises BindingError: as `bound_parts`.
    :raises SecretError: as `bound_parts`.
    """
    with _told_as_damage():
        return _picture_parts(json.dumps([bound["component"], bound.get("text")], sort_keys=True))


@contextlib.contextmanager
def _told_as_damage() -> Iterator[None]:
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
def _parts(key: str) -> tuple[Any, StoreTemplate]:
    document_embedder, store = json.loads(key)
    _check({"embedder": document_embedder, "store": store})
    embedder = {"type": _text_type(document_embedder["type"]), "init_parameters": document_embedder["init_parameters"]}
    retriever = {
        "type": "components.retrievers.dense_retriever.DenseRetriever",
        "init_parameters": {"embedder": embedder, "template": store},
    }
    built = _built(_without_unknown(retriever))
    return built.embedder, built.template


@functools.lru_cache(maxsize=32)
def _picture_parts(key: str) -> Any:
    image, text = json.loads(key)
    text = text or _fitting(_text_type(image["type"]), image["init_parameters"])
    _check({"embedder": image, "text": text})
    definition = {
        "type": "components.embedders.picture_embedder.PictureEmbedder",
        "init_parameters": {"embedder": image, "text_embedder": text},
    }
    built = _built(definition)
    if hasattr(built.text_embedder, "warm_up"):
        built.text_embedder.warm_up()
    return built


def _check(parts: dict[str, Any]) -> None:
    """Let no secret go where the user has not allowed it to, and tell of the hosts that are talked to."""
    check_secrets(parts, "the collection")
    if hosts := told_hosts(hub_home(), set(named_hosts({"components": parts})) - LOOPBACK):
        notice.warning("collections in %s talk to %s", hub_home(), ", ".join(sorted(hosts)))


def _built(definition: dict[str, Any]) -> Any:
    token = builder.set(_no_graph)
    try:
        graph = {"components": {"part": definition}, "connections": []}
        return Pipeline.from_dict(graph, allowed_modules=allowed_modules()).get_component("part")
    finally:
        builder.reset(token)


def _no_graph(name: str, _changes: dict[str, Any]) -> Any:
    """Refuse a graph as an embedder or a store: a catalog that came from elsewhere would choose what runs."""
    raise BindingError(f"the collection's embedder or store is the graph {name!r}", ANEW)


def _text_type(document_type: str) -> str:
    """Haystack's naming rule: `…document_embedder.XDocumentEmbedder` embeds texts as `…text_embedder.XTextEmbedder`."""
    for kind in ("document_image_embedder", "doc_image_embedder", "document_embedder"):
        document_type = document_type.replace(kind, "text_embedder")
    return document_type.replace("DocumentImageEmbedder", "TextEmbedder").replace("DocumentEmbedder", "TextEmbedder")


def _without_unknown(retriever: dict[str, Any]) -> dict[str, Any]:
    embedder = retriever["init_parameters"]["embedder"]
    fitting = _fitting(embedder["type"], embedder["init_parameters"])
    return {**retriever, "init_parameters": {**retriever["init_parameters"], "embedder": fitting}}


def _fitting(type_name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a document embedder has and a text embedder has not (batch size, where files lie …)."""
    known = _parameters(type_name)
    return {"type": type_name, "init_parameters": {k: value for k, value in parameters.items() if k in known}}


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
