"""The tokens of new chunks, in the form in which the catalog keeps them."""

from collections.abc import Sequence

from haystack import Document

from khub.components.catalog.passage_tokens import passage_tokens
from khub.components.catalog.token_rows import packed
from khub.components.embedders.static_model import StaticModel
from khub.components.text.chunk_text import embedded_parts

BATCH = 128


def kept_tokens(chunks: Sequence[Document], model: StaticModel) -> dict[str, bytes]:
    """Return the tokens of each chunk's embedded text, by the chunk's id.

    :param chunks: chunks with all their metadata.
    :param model: whose tokens they are.
    :returns: see `packed`.
    """
    kept: dict[str, bytes] = {}
    for start in range(0, len(chunks), BATCH):
        part = chunks[start : start + BATCH]
        found = passage_tokens(model, [embedded_parts(chunk) for chunk in part])
        kept.update((chunk.id, packed(tokens, model.fingerprint)) for chunk, tokens in zip(part, found, strict=True))
    return kept
