"""Tell the passages that are stored from those that say the same as one of them."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from haystack import Document, component

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.enrichers.min_hash import band_keys, normalized, shingles, similarity
from khub.components.errors import ParameterError
from khub.components.text.tokenizer import tokenize

VERSION = "2"
"""Changes whenever other chunks would count as duplicates."""
MAX_CANDIDATES = 100
"""So many earlier chunks are compared with one: forms and tables share keys by the thousand."""
LOWEST_THRESHOLD = 0.7
"""Below, keys of similar texts meet too rarely."""
DUPLICATE_OF = "duplicate_of"
"""Metadata of a duplicate: the id of the chunk that is stored in its place."""


class KnownChunks(Protocol):
    """Finds stored chunks of a collection by their keys; a parameter of `NearDuplicates`."""

    def find(self, collection: str, keys: Sequence[str]) -> dict[str, list[Document]]:
        """Return key -> chunks that are stored with it, a hundred at most; keys without a chunk are left out."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        ...


@dataclass(frozen=True)
class _Text:
    chunk: Document
    keys: list[str]
    hashes: np.ndarray
    words: Counter[str]


@component
class NearDuplicates:
    """Sorts out the chunks that say what an earlier one says: they need no vector and no place in an index.

    A chunk is a duplicate when its text equals an earlier one after normalisation (case, width, white space), or when
    both share most of their shingles (MinHash finds the candidates, the exact similarity decides) and it has no word
    and no number that the earlier one has not: nothing that somebody might look for is lost. Chunks whose
    `access_level` differs are never duplicates of each other.

    `documents` go to the embedder. `duplicates` and `keys` go past it to the `CollectionWriter`: what is not connected
    there is lost.

    :param threshold: Jaccard similarity of character shingles from which on two texts are near, 0.7 to 1.
    :param new_words: so many words of a near duplicate may be missing in the chunk that is kept. Above 0, a price or a
        name that differs may get lost.
    :param stands_alone: length in characters from which on chunks are compared without the headings above them. A
        shorter one (`Default: 30`) means something under its heading only.
    :param known: finds chunks that are stored already; None compares the chunks of one run with each other.
    :raises GraphError: when a number is out of range.
    """

    def __init__(
        self,
        threshold: float = 0.9,
        new_words: int = 0,
        stands_alone: int = 200,
        known: KnownChunks | None = None,
    ) -> None:
        if not LOWEST_THRESHOLD <= threshold <= 1:
            raise ParameterError(f"NearDuplicates has threshold={threshold}", f"give {LOWEST_THRESHOLD} to 1")
        if min(new_words, stands_alone) < 0:
            raise ParameterError(
                f"NearDuplicates has new_words={new_words}, stands_alone={stands_alone}", "give 0 or more"
            )
        self.threshold = threshold
        self.new_words = new_words
        self.stands_alone = stands_alone
        self.known = known

    @property
    def fingerprint(self) -> str:
        """Names the version of what counts as a duplicate."""
        return f"NearDuplicates(version={VERSION})"

    @component.output_types(documents=list[Document], duplicates=list[Document], keys=dict[str, list[str]])
    def run(self, documents: list[Document], collection: str = "") -> dict[str, Any]:
        """Sort chunks.

        :param documents: chunks.
        :param collection: where `known` looks. Chunks of a document that is in `documents` too are not looked at: they
            are about to be replaced.
        :returns: `documents`: the first of each set of duplicates, in order; `duplicates`: the others, in order, with
            `meta.duplicate_of`: the id of that first one, or of a chunk that is stored already; `keys`: of each of
            `documents`, by chunk id, to store with it for `known`.
        """
        texts = [self._text(chunk) for chunk in documents]
        stored = self._stored(texts, collection)
        by_key: dict[str, list[_Text]] = {}
        for text in stored:
            _note(by_key, text)
        kept: list[_Text] = []
        duplicates: list[Document] = []
        for text in texts:
            if first := self._first(text, by_key):
                duplicates.append(replace(text.chunk, meta={**text.chunk.meta, DUPLICATE_OF: first.chunk.id}))
            else:
                kept.append(text)
                _note(by_key, text)
        return {
            "documents": [text.chunk for text in kept],
            "duplicates": duplicates,
            "keys": {text.chunk.id: text.keys for text in kept},
        }

    def _text(self, chunk: Document) -> _Text:
        compared = normalized(self._compared(chunk))
        hashes = shingles(compared)
        exact = hashlib.sha256(compared.encode("utf-8", "surrogatepass")).hexdigest()[:18]
        levels = levels_key(chunk.meta.get(ACCESS_FIELD))
        keys = [f"{key}{levels}" for key in (f"={exact}", *band_keys(hashes))]
        return _Text(chunk, keys, hashes, Counter(tokenize(compared)))

    def _compared(self, chunk: Document) -> str:
        content = chunk.content or ""
        parts = [chunk.meta.get("table_header") or "", content]
        if len(content) < self.stands_alone:
            path = (chunk.meta.get("section") or "").split(" > ")
            # the first heading of a document is often its title, which would make all documents differ
            parts = [" > ".join(path[1:] if path[0] == chunk.meta.get("title") else path), *parts]
        return "\n".join(parts)

    def _stored(self, texts: Sequence[_Text], collection: str) -> list[_Text]:
        if self.known is None:
            return []
        keys = list(dict.fromkeys(key for text in texts for key in text.keys))
        coming = {text.chunk.meta.get("doc_id") for text in texts}
        found = [chunk for chunks in self.known.find(collection, keys).values() for chunk in chunks]
        stored = {chunk.id: chunk for chunk in found if chunk.meta.get("doc_id") not in coming}
        return [self._text(chunk) for chunk in stored.values()]

    def _first(self, text: _Text, by_key: dict[str, list[_Text]]) -> _Text | None:
        if same := by_key.get(text.keys[0]):
            return same[0]
        candidates = {id(other): other for key in text.keys[1:] for other in by_key.get(key, [])[:MAX_CANDIDATES]}
        for other in candidates.values():
            missing = sum((text.words - other.words).values())
            if missing <= self.new_words and similarity(text.hashes, other.hashes) >= self.threshold:
                return other
        return None


def _note(by_key: dict[str, list[_Text]], text: _Text) -> None:
    for key in text.keys:
        by_key.setdefault(key, []).append(text)
