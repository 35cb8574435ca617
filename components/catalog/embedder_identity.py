"""What names the vector space of an embedder."""

from typing import Any, TypedDict


class EmbedderIdentity(TypedDict, total=False):
    """The family of an embedder, and what tells its models apart.

    :ivar family: name of its class without Text or Document.
    :ivar fingerprint: of its model, where it knows that; the others are parameters that choose one.
    """

    family: str
    fingerprint: str
    model: Any
    model_name: Any
    model_name_or_path: Any
    azure_deployment: Any
    dimensions: Any
    truncate_dim: Any
    normalize_embeddings: Any
