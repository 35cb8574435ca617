"""What a collection is bound to: the embedder, the store and the tokenizer that filled it."""

from typing import Any

from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.embedder_identity import EmbedderIdentity
from khub.components.embedders.embedder_identity import describe, identity_of, same_space
from khub.components.errors import BindingError

OF_SHIPPED = {"khub-base": "", "khub-fast": " --graph ingest_fast"}
"""Model -> how a collection is moved to it; `query` asks by whatever model a collection has."""


OF_BEFORE = "ingest through the graph that filled it"


def check_binding(collection: str, before: CollectionBinding, wanted: CollectionBinding, graph: str = "NAME") -> None:
    """Compare what filled a collection with what is about to.

    :param graph: name of the graph that is about to, for the remedy.
    :raises BindingError: naming the first difference, with the command that repairs it.
    """
    code = "binding_embedder"
    if before["embedder"]["fingerprint"] != wanted["embedder"]["fingerprint"]:
        old, new = (describe(b["embedder"].get("identity", {})) for b in (before, wanted))
        new = f"another version or setting of {new}" if new == old else new
        difference = f"its vectors were made by {old} ({before['embedder']['fingerprint'][:8]}), this graph has {new}"
    elif before["store"] != wanted["store"]:
        code = "binding_store"
        difference = f"it lies in another document store than this graph's ({_first_difference(before, wanted)})"
    elif "pictures" in wanted and before.get("pictures", {}).get("fingerprint") != wanted["pictures"]["fingerprint"]:
        made = describe(before["pictures"]["identity"]) if "pictures" in before else "nothing"
        difference = f"its pictures were embedded by {made}, this graph has {describe(wanted['pictures']['identity'])}"
    elif before["tokenizer"] != wanted["tokenizer"]:
        code = BindingError.code
        difference = f"its keyword index was made by tokenizer {before['tokenizer']}, now it is {wanted['tokenizer']}"
    else:
        return
    raise BindingError(
        f"collection {collection!r} does not fit this graph: {difference}",
        f"{OF_BEFORE}, or move it over: khub reindex --collection {collection} --graph {graph}",
        code=code,
    )


def check_question(collection: str, embedded: EmbedderIdentity, embedder: Any) -> None:
    """Compare what embedded a collection with what is about to embed a question to it.

    :param embedded: identity of what embedded the collection.
    :raises BindingError: if their vectors cannot be compared, with the command that repairs it.
    """
    asking = identity_of(embedder)
    if same_space(asking, embedded):
        return
    old, new = describe(embedded), describe(asking)
    if replaced := getattr(embedder, "replaced", None):
        raise BindingError(
            f"collection {collection!r} was embedded by {old}, but {replaced}",
            f"pip install onnxruntime, or embed it again: khub reindex --collection {collection}",
            code="binding_embedder",
        )
    option = OF_SHIPPED.get(new, f" --graph G, with G an ingest graph of {new}")
    remedy = f"embed it again: khub reindex --collection {collection}{option}"
    if old == new:
        difference = f"another version or setting of {new}"
    else:
        difference = f"{old}, this graph's question by {new}"
        graph = " (--graph query)" if old in OF_SHIPPED else ""
        remedy = f"ask through a graph of {old}{graph}, or {remedy}"
    raise BindingError(f"collection {collection!r} was embedded by {difference}", remedy, code="binding_embedder")


def _first_difference(before: CollectionBinding, wanted: CollectionBinding) -> str:
    old, new = (b["store"].get("init_parameters", {}) for b in (before, wanted))
    stores = [parameters.get("store", {}) for parameters in (old, new)]
    types = [store.get("type", "") for store in stores]
    if types[0] != types[1]:
        return f"{types[0].rpartition('.')[2]}, not {types[1].rpartition('.')[2]}"
    one, other = (store.get("init_parameters", {}) for store in stores)
    changed = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return f"{changed[0]}: {one.get(changed[0])!r}, not {other.get(changed[0])!r}" if changed else "another retriever"
