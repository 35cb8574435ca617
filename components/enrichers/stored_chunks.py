"""The chunks that a collection stores already, for `NearDuplicates` to compare new ones with."""

from collections.abc import Sequence
from typing import Any

from haystack import Document, default_to_dict

from khub.components.catalog.catalog import open_catalog
from khub.components.enrichers.near_duplicates import MAX_CANDIDATES


class StoredChunks:
    """Looks chunks up in the catalog by the keys with which `CollectionWriter` stored them."""

    def find(self, collection: str, keys: Sequence[str]) -> dict[str, list[Document]]:
        """Return key -> chunks that are stored with it, a hundred at most; keys without a chunk are left out."""
        return open_catalog().duplicates.find(collection, keys, MAX_CANDIDATES)

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(self)
