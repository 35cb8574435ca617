"""What a collection is bound to: the embedder, the store and the tokenizer that filled it."""

from typing import Any

from components.embedders.embedder_identity import describe
from components.errors import BindingError


def check_binding(collection: str, before: dict[str, Any], wanted: dict[str, Any], graph: str = "NAME") -> None:
    """Compare what filled a collection with what is about to.

    :param graph: name of the graph that is about to, for the remedy.
    :raises BindingError: naming the first difference, with the command that repairs it.
    """
    if before["embedder"]["fingerprint"] != wanted["embedder"]["fingerprint"]:
        old, new = (describe(b["embedder"].get("identity", {})) for b in (before, wanted))
        new = f"another version or setting of {new}" if new == old else new
        difference = f"its vectors were made by {old} ({before['embedder']['fingerprint'][:8]}), this graph has {new}"
    elif before["store"] != wanted["store"]:
        difference = f"it lies in another document store than this graph's ({_first_difference(before, wanted)})"
    elif before["tokenizer"] != wanted["tokenizer"]:
        difference = f"its keyword index was made by tokenizer {before['tokenizer']}, now it is {wanted['tokenizer']}"
    else:
        return
    raise BindingError(
        f"collection {collection!r} does not fit this graph: {difference}",
        "ingest through the graph that filled it, or move it over: "
        f"khub reindex --collection {collection} --graph {graph}",
    )


def _first_difference(before: dict[str, Any], wanted: dict[str, Any]) -> str:
    old, new = (b["store"].get("init_parameters", {}) for b in (before, wanted))
    stores = [parameters.get("store", {}) for parameters in (old, new)]
    types = [store.get("type", "") for store in stores]
    if types[0] != types[1]:
        return f"{types[0].rpartition('.')[2]}, not {types[1].rpartition('.')[2]}"
    one, other = (store.get("init_parameters", {}) for store in stores)
    changed = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return f"{changed[0]}: {one.get(changed[0])!r}, not {other.get(changed[0])!r}" if changed else "another retriever"
