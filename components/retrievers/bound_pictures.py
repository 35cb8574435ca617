"""What a collection's pictures were embedded by, built from what the catalog remembers."""

import functools
import inspect
import json
from typing import Any

from haystack import Pipeline
from haystack.core.errors import DeserializationError, PipelineError
from haystack.core.serialization import import_class_by_name

from khub.components.allowed_modules import allowed_modules, is_allowed
from khub.components.catalog.collection_binding import EmbedderBinding
from khub.components.component_entry import ComponentEntry
from khub.components.embedders.picture_embedder import PictureEmbedder
from khub.components.errors import BindingError, KhubError
from khub.components.extras import install_extra
from khub.components.failure_reason import failure_reason
from khub.components.missing_model import missing_model
from khub.components.remote_code import check_remote_code
from khub.components.secret_pairs import check_secrets
from khub.components.stores.bound_parts import ANEW
from khub.components.subgraph import builder

REASON_CHARACTERS = 200
BROKEN = (PipelineError, DeserializationError)


def bound_pictures(bound: EmbedderBinding) -> PictureEmbedder:
    """Return what embeds a collection's pictures, with the text embedder of their space; the same one for the same.

    :param bound: what the collection's binding says of its pictures.
    :raises BindingError: if it cannot be built: its packages or its model are missing, or what is remembered is damaged
        or names a class that may not be loaded.
    :raises SecretError: if it sends a secret where the user has not allowed it to.
    :raises GraphError: if it would run the code of a model that the user has not allowed.
    """
    try:
        return _built(json.dumps([bound["component"], bound.get("text")], sort_keys=True))
    except KhubError:
        raise
    except (TypeError, KeyError, AttributeError, ValueError, OSError, ImportError, *BROKEN) as error:
        if missing := missing_model(error):
            raise BindingError(missing.message, missing.remedy) from error
        origin: BaseException = error
        while origin.__cause__ is not None:
            origin = origin.__cause__
        reason = failure_reason(origin)[:REASON_CHARACTERS]
        remedy = f"install what it needs ({install_extra('local-models')}), or {ANEW}"
        raise BindingError(f"what embedded the collection's pictures cannot be used ({reason})", remedy) from error


@functools.lru_cache(maxsize=8)
def _built(key: str) -> PictureEmbedder:
    image, text = json.loads(key)
    text = text or _of_texts(image)
    parts = {"pictures": image, "text": text}
    check_secrets(parts, "the collection")
    check_remote_code(parts, "the collection")
    parameters = {"embedder": image, "text_embedder": text}
    part = {"type": "khub.components.embedders.picture_embedder.PictureEmbedder", "init_parameters": parameters}
    token = builder.set(_no_graph)
    try:
        pipeline = Pipeline.from_dict(
            {"components": {"part": part}, "connections": []}, allowed_modules=allowed_modules()
        )
    finally:
        builder.reset(token)
    built: Any = pipeline.get_component("part")
    built.warm_up()
    if hasattr(built.text_embedder, "warm_up"):
        built.text_embedder.warm_up()
    found: PictureEmbedder = built
    return found


def _of_texts(image: ComponentEntry) -> ComponentEntry:
    """Return the text embedder of the same family: `XDocumentImageEmbedder` goes with `XTextEmbedder`."""
    name = image["type"]
    for kind in ("document_image_embedder", "doc_image_embedder"):
        name = name.replace(kind, "text_embedder")
    name = name.replace("DocumentImageEmbedder", "TextEmbedder")
    if not is_allowed(name.rpartition(".")[0]):
        raise BindingError(f"the embedder {name} may not be loaded", f"allow its module as for the ingest, or {ANEW}")
    known = inspect.signature(import_class_by_name(name).__init__).parameters
    return {"type": name, "init_parameters": {k: v for k, v in image["init_parameters"].items() if k in known}}


def _no_graph(name: str, _changes: dict[str, Any]) -> Any:
    """Refuse a graph as an embedder: a catalog that came from elsewhere would choose what runs."""
    raise BindingError(f"the embedder of the collection's pictures is the graph {name!r}", ANEW)
