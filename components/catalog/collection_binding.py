"""What a collection is bound to."""

from typing import Any, NotRequired, TypedDict

from khub.components.catalog.embedder_identity import EmbedderIdentity


class EmbedderBinding(TypedDict):
    """The embedder that filled a collection, of chunks or of pictures.

    :ivar identity: `family`, and the `fingerprint` or the parameters that choose its model.
    :ivar fingerprint: key under which its vectors are kept.
    :ivar component: the embedder, as Haystack serializes it.
    :ivar question: parameters that it has otherwise where it embeds a question.
    :ivar text: of pictures: the text embedder of the same space, as Haystack serializes it; None for its family's.
    :ivar replaced: while chunks are written: why another model stands in for the one that the graph names.
    """

    identity: EmbedderIdentity
    fingerprint: str
    component: dict[str, Any]
    question: NotRequired[dict[str, Any]]
    text: NotRequired[dict[str, Any] | None]
    replaced: NotRequired[str]


class CollectionBinding(TypedDict):
    """What fills a collection; what is not so bound yet has an empty one.

    :ivar store: the template of its document store, as Haystack serializes it.
    :ivar tokenizer: version of that of the keyword index.
    """

    store: dict[str, Any]
    embedder: EmbedderBinding
    tokenizer: str
    pictures: NotRequired[EmbedderBinding]


def holds_words(store: dict[str, Any]) -> bool:
    """Say whether a template, as it is remembered, has the words of chunks in the document store, too."""
    return bool(store["init_parameters"].get("keywords"))
