"""What a collection is bound to: the embedder, the store and the tokenizer that filled it."""

from typing import Any

from components.embedders.embedder_identity import describe
from components.errors import BindingError


def check_binding(collection: str, before: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Compare what filled a collection with what is about to.

    :raises BindingError: naming the first difference, with the command that repairs it.
    """
    if before["embedder"]["fingerprint"] != wanted["embedder"]["fingerprint"]:
        old, new = (describe(b["embedder"].get("identity", {})) for b in (before, wanted))
        difference = f"its vectors were made by {old} ({before['embedder']['fingerprint'][:8]}), this graph has {new}"
    elif before["store"] != wanted["store"]:
        difference = "it lies in another document store than this graph's"
    elif before["tokenizer"] != wanted["tokenizer"]:
        difference = f"its keyword index was made by tokenizer {before['tokenizer']}, now it is {wanted['tokenizer']}"
    else:
        return
    raise BindingError(
        f"collection {collection!r} does not fit this graph: {difference}",
        f"move it over with: khub reindex --collection {collection}",
    )
