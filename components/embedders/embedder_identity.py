"""Which embedder is it: what has to be equal for two vectors to be comparable."""

import hashlib
import json
from typing import Any, Final, cast

from haystack.core.serialization import component_to_dict

from khub.components.catalog.embedder_identity import EmbedderIdentity

COMPARED: Final = (
    "model",
    "model_name",
    "model_name_or_path",
    "azure_deployment",
    "dimensions",
    "truncate_dim",
    "normalize_embeddings",
)
PURPOSE = ("task", "input_type", "encode_kwargs", "late_chunking")


def identity_of(embedder: Any) -> EmbedderIdentity:
    """Return what names the vector space of a text or document embedder.

    A component that knows the fingerprint of its model (`fingerprint`) is named by that; any other Haystack embedder by
    its family (class name without Text/Document) and the parameters that choose a model. Where a fallback stands in for
    the model (`replaced`), it is named by the fallback.
    """
    own = getattr(embedder, "fingerprint", None)
    data = component_to_dict(embedder, "embedder")
    family = data["type"].rpartition(".")[2]
    for kind in ("DocumentImageEmbedder", "DocumentEmbedder", "TextEmbedder"):
        family = family.replace(kind, "")
    parameters = data["init_parameters"]
    named = {key: parameters[key] for key in COMPARED if parameters.get(key) is not None}
    if getattr(embedder, "replaced", None):
        named["model"] = parameters["fallback"]
    return cast(EmbedderIdentity, {"family": family, **({"fingerprint": own} if own else {}), **named})


def same_space(one: EmbedderIdentity, other: EmbedderIdentity) -> bool:
    """Say whether two identities name the same vector space; a known fingerprint decides alone."""
    if one.get("fingerprint") and other.get("fingerprint"):
        found: bool = one["fingerprint"] == other["fingerprint"]
        return found
    return one == other


def document_fingerprint(embedder: Any) -> str:
    """Return the key under which vectors of documents are kept: 32 hexadecimal characters.

    It covers the identity, what is put around a text before it is embedded (prefix, suffix, separator), and what the
    model is told the text is for.
    """
    parameters = component_to_dict(embedder, "embedder")["init_parameters"]
    around = {key: parameters.get(key) for key in ("prefix", "suffix", "meta_fields_to_embed", "embedding_separator")}
    around |= {key: parameters[key] for key in PURPOSE if parameters.get(key) is not None}
    text = json.dumps([identity_of(embedder), around], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def describe(identity: EmbedderIdentity) -> str:
    """Return a short name for messages."""
    model = next((str(identity[key]) for key in COMPARED if identity.get(key)), "")
    return f"{identity.get('family', '')} {model}".strip()
