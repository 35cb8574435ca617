"""Passages that say the same, merged into the best one."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
from haystack import Document

from khub.components.catalog.passage import PassageMeta, changed
from khub.components.catalog.passage_place import PassagePlace
from khub.components.enrichers.min_hash import normalized, shingles, similarity
from khub.components.text.tokenizer import tokenize

STANDS_ALONE = 200
"""In characters: a shorter passage (`Default: 30`) means something under its heading only, and is compared with it."""
SHORTEST_PIECE = 4
PIECES = re.compile(r"[^.。!！?？;；,，:：|]+")
ASCII_PIECES = str.maketrans(dict.fromkeys(".!?;,:|", " ") | {c: None for c in map(chr, range(128)) if c.isspace()})
REMEMBERED = 4096


def merged(documents: list[Document], threshold: float) -> list[Document]:
    """Merge each passage into the first one before it that says the same.

    Two passages say the same when their texts are equal but for case, width and white space; or when their character
    shingles have at least this Jaccard similarity and the later one has no word or number that the first one lacks, so
    that nothing is lost which somebody might ask for. (A. Broder, *On the resemblance and containment of documents*,
    1997; over so few passages the similarity is computed as it is, without MinHash.)

    :param documents: passages, best first.
    :param threshold: the least similarity, from 0.7 to 1; at 1 only equal texts are merged.
    :returns: those that are left, in order; one into which others were merged is a copy with their places, and those
        that these had, in `meta["also_in"]`: list of `{"doc_id", "source", "title", "page"}`. The list itself where
        nothing is merged.
    """
    first_of = _pairs(documents, threshold)
    if not first_of:
        return documents
    places: dict[int, list[PassagePlace]] = {}
    for later, first in first_of.items():
        meta = documents[later].meta
        place = cast(PassagePlace, {key: meta.get(key) for key in ("doc_id", "source", "title", "page")})
        places.setdefault(first, []).extend([place, *(meta.get("also_in") or [])])
    return [
        _also_in(document, places[index]) if index in places else document
        for index, document in enumerate(documents)
        if index not in first_of
    ]


def _pairs(documents: list[Document], threshold: float) -> dict[int, int]:
    """Return for each passage that is merged which one it goes into."""
    first_of: dict[int, int] = {}
    left: list[tuple[int, dict[int, int]]] = []
    for index, document in enumerate(documents):
        pieces = _pieces(document.content or "")
        enough = sum(pieces.values()) / 2
        for other, theirs in left:
            shared = sum(map(pieces.__getitem__, pieces.keys() & theirs.keys()))
            if shared >= enough and _Text.of(document).is_said_by(_Text.of(documents[other]), threshold):
                first_of[index] = other
                break
        else:
            left.append((index, pieces))
    return first_of


@lru_cache(maxsize=REMEMBERED)
def _pieces(text: str) -> dict[int, int]:
    """Return hash -> length of the pieces between punctuation: texts that hardly share any cannot be near duplicates.

    That is far cheaper than their shingles, and nearly all passages of a query are told apart by it.
    """
    if text.isascii():  # many times as fast as a regular expression
        pieces = text.casefold().translate(ASCII_PIECES).split()
    else:
        pieces = PIECES.findall("".join(text.casefold().split()))
    return {hash(piece): len(piece) for piece in pieces if len(piece) >= SHORTEST_PIECE} or {hash(text): len(text)}


@dataclass(frozen=True)
class _Text:
    normal: str
    hashes: np.ndarray
    words: Counter[str]

    @classmethod
    def of(cls, passage: Document) -> "_Text":
        content = passage.content or ""
        parts = [passage.meta.get("table_header") or "", content]
        if len(content) < STANDS_ALONE:
            path = (passage.meta.get("section") or "").split(" > ")
            # the first heading of a document is often its title, which would make all documents differ
            parts.insert(0, " > ".join(path[1:] if path[0] == passage.meta.get("title") else path))
        normal = normalized("\n".join(parts))
        return cls(normal, shingles(normal), Counter(tokenize(normal)))

    def is_said_by(self, other: "_Text", threshold: float) -> bool:
        if self.normal == other.normal:
            return True
        return not self.words - other.words and similarity(self.hashes, other.hashes) >= threshold


def _also_in(document: Document, places: list[PassagePlace]) -> Document:
    known = document.meta.get("also_in") or []
    new = [place for index, place in enumerate(places) if place not in known and place not in places[:index]]
    return changed(document, meta=PassageMeta(document.meta, also_in=[*known, *new]))
