"""The id of a passage, as long as a model has to repeat it."""

import re

SHOWN_CHARACTERS = 8
_HASH = re.compile("[0-9a-f]{32,64}")


def short_id(chunk_id: str) -> str:
    """Return how an id of the hub's own begins, by which `passage_of` knows it; another one whole."""
    return chunk_id[:SHOWN_CHARACTERS] if _HASH.fullmatch(chunk_id) else chunk_id
