"""The tokens of new chunks, in the form in which the catalog keeps them."""

from collections.abc import Sequence

from haystack import Document

from components.catalog.token_rows import packed
from components.embedders.static_model import StaticModel
from components.text.chunk_text import embedded_text

BATCH = 128


def kept_tokens(chunks: Sequence[Document], model: StaticModel) -> dict[str, bytes]:
    """Return the tokens of each chunk's embedded text, by the chunk's id.

    :param chunks: chunks with all their metadata.
    :param model: whose tokens they are.
    :returns: see `packed`; without chunks whose tokens have no such form.
    """
    kept: dict[str, bytes] = {}
    for start in range(0, len(chunks), BATCH):
        part = chunks[start : start + BATCH]
        found = model.distinct_rows([embedded_text(chunk) for chunk in part])
        coded = ((chunk.id, packed(rows, model.fingerprint)) for chunk, rows in zip(part, found, strict=True))
        kept.update((chunk_id, tokens) for chunk_id, tokens in coded if tokens is not None)
    return kept
