"""Keyword leg of a collection whose store holds the words beside the vectors."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from haystack import Document
from haystack.core.serialization import generate_qualified_class_name

from khub.components.catalog.catalog import Catalog
from khub.components.question import Expansion
from khub.components.stores.found_by_words import found_by_words
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.stores.open_indexes import DenseReader, EngineIndex
from khub.components.stores.store_protocol import CountsWords
from khub.components.text.chunk_text import indexed_text
from khub.components.text.plain_words import plain_word, plain_words
from khub.components.text.symbols import index_terms

MOST_WORDS = 1000
"""Words of a query: Lucene takes 1,024 clauses."""
TENTHS = 10
"""A word of the question stands so often in a query that has others beside it, and these as their weight says."""
MOST_COUNTED = 1000
"""Hits of a word that are counted where the store has no better way; one that has more is as frequent as that."""
MOST_READ = 400
"""Chunks whose text is read to see whether words stand one behind the other."""
MOST_KEPT = 100_000
MOST_PLACES = 10_000
"""Hits of one search: OpenSearch gives no more, Milvus 16,384."""


def _documents_with(store: Any, word: str) -> int:
    found: int = store.count_documents_by_filter({"field": "content", "operator": "==", "value": word})
    return found


COUNTED: dict[str, Callable[[Any, str], int]] = {
    "haystack_integrations.document_stores.opensearch.document_store.OpenSearchDocumentStore": _documents_with,
}
"""Of classes that are not the hub's own: how many documents hold a word."""


class EngineKeywords(KeywordIndex):
    """Words of chunks in a document store, searched by the keyword retriever of its template.

    A store knows words and their BM25 alone. What it cannot be asked is read from the text of what it finds: whether
    words stand one behind the other.

    :param catalog: the hub's.
    :param collection: the collection's name.
    :param reader: of its store.
    """

    def __init__(self, catalog: Catalog, collection: str, reader: DenseReader) -> None:
        self._catalog, self._collection, self._reader = catalog, collection, reader

    def search(
        self,
        terms: Sequence[str],
        top_k: int,
        only: Sequence[str] | None = None,
        expansions: Sequence[Expansion] = (),
        phrases: Sequence[Sequence[str]] = (),
        language: str | None = None,
    ) -> list[tuple[str, float]]:
        """Return the best chunks; with phrases, those among the first `MOST_READ` for the phrases' words."""
        if not terms or top_k < 1:
            return []
        query, scale = _query([*terms, *itertools.chain(*phrases)], expansions)
        with self._reader.lease_engine() as engine:
            if phrases:
                only = self._holding_all(phrases, engine, only, language)
                if not only:
                    return []
            found = found_by_words(engine.retriever, query, min(top_k, MOST_PLACES), only, language)
        return [(hit.id, (hit.score or 0.0) / scale) for hit in found]

    def _holding_all(
        self, phrases: Sequence[Sequence[str]], engine: EngineIndex, only: Sequence[str] | None, language: str | None
    ) -> list[str]:
        """Return the chunks that hold the phrases, of the best for their words."""
        query, _ = _query(itertools.chain(*phrases), ())
        keys = [hit.id for hit in found_by_words(engine.retriever, query, MOST_READ, only, language)]
        texts = self._terms_of(keys)
        return [key for key in keys if all(_stands_in(phrase, texts.get(key, "")) for phrase in phrases)]

    def holds(self, characters: Sequence[str]) -> bool:
        """Return whether a chunk holds Han characters one behind the other; a single one is not looked for."""
        if len(characters) < 2 or not all(characters):
            return False
        pairs = ["".join(pair) for pair in itertools.product(*characters[:2])]
        read = re.compile("".join(f"[{re.escape(choice)}]" for choice in characters))
        return any(
            read.search(indexed_text(chunk))
            for start in range(0, len(pairs), MOST_WORDS)
            for chunk in self._holding_any(pairs[start : start + MOST_WORDS])
        )

    def _holding_any(self, terms: Sequence[str]) -> Iterator[Document]:
        with self._reader.lease_engine() as engine:
            found = found_by_words(engine.retriever, plain_words(terms), MOST_READ)
        return self._catalog.chunks.indexed_among([hit.id for hit in found])

    def languages(self, named: Sequence[str]) -> list[str]:
        """Return those of the languages in which there are chunks."""
        there = self._catalog.vectors.languages(self._collection)
        return [language for language in named if there.get(language)]

    def count(self) -> int:
        """Return the number of chunks."""
        return self._catalog.chunks.count(self._collection)

    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        words = {term: plain_word(term) for term in terms}
        with self._reader.lease_engine() as engine:
            known = engine.frequencies
            if missing := [word for word in dict.fromkeys(words.values()) if word not in known]:
                if len(known) > MOST_KEPT:
                    known.clear()
                known.update(_counted(engine, missing))
            return {term: known[word] for term, word in words.items()}

    def _terms_of(self, keys: Sequence[str]) -> dict[str, str]:
        return {
            chunk.id: f" {' '.join(index_terms(indexed_text(chunk)))} "
            for chunk in self._catalog.chunks.indexed_among(keys)
        }


def _query(terms: Iterable[str], expansions: Sequence[Expansion]) -> tuple[str, int]:
    """Return the words of a query, each as often as its weight says, and how often one of weight 1 stands there."""
    weights = [(plain_word(term), 1.0) for term in terms]
    weights += [(plain_word(term), other.weight) for other in expansions for term in other.terms]
    scale = TENTHS if expansions else 1
    while scale > 1 and sum(round(weight * scale) for _, weight in weights) > MOST_WORDS:
        scale -= 1
    words = [word for word, weight in weights for _ in range(max(round(weight * scale), 1))]
    return " ".join(words[:MOST_WORDS]), scale


def _stands_in(phrase: Sequence[str], terms: str) -> bool:
    return f" {' '.join(phrase)} " in terms


def _counted(engine: EngineIndex, words: Sequence[str]) -> dict[str, int]:
    """Return how many documents hold each word; where a store is asked for one at a time, not for those of none."""
    if isinstance(engine.store, CountsWords):
        return engine.store.count_words(words)
    if len(words) > 1 and (len(words) > MOST_WORDS or found_by_words(engine.retriever, " ".join(words), 1)):
        middle = len(words) // 2
        return {**_counted(engine, words[:middle]), **_counted(engine, words[middle:])}
    if len(words) > 1:
        return dict.fromkeys(words, 0)
    count = COUNTED.get(generate_qualified_class_name(type(engine.store)))
    return {
        word: count(engine.store, word) if count else len(found_by_words(engine.retriever, word, MOST_COUNTED))
        for word in words
    }
