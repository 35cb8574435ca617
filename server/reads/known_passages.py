"""What the catalog knows, for the caller, of passages that a run named."""

from collections.abc import Sequence

from haystack import Document

from khub.server.reads.hub_reads import catalog_of_hub


def known_passages(collection: str | None, chunk_ids: Sequence[str]) -> dict[str, Document]:
    """Return those of the passages that are still there and opened to the caller, by id.

    :param collection: that they were found in; None for none.
    """
    if not collection:
        return {}
    return {i: chunk for i, (chunk, _) in catalog_of_hub().chunks.fetch(collection, list(chunk_ids)).items()}
