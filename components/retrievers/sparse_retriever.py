"""Keyword leg: BM25 over the collection's tantivy index."""

from dataclasses import dataclass
from typing import Any

from haystack import Document, component

from components.catalog.access import access_levels
from components.catalog.catalog import open_catalog
from components.catalog.passage import changed
from components.errors import GraphError, QueryError
from components.query.phrases import holds, quoted_phrases
from components.query.stopwords import without_stopwords
from components.retrievers.interleave import interleaved
from components.retrievers.languages import check_per_language, joined
from components.retrievers.leg_report import LEGS, left_out, report, wanted
from components.retrievers.passages import Passages
from components.retrievers.unknown_codes import unknown_codes
from components.stores.open_indexes import sparse_reader
from components.stores.sparse_index import ID_FILTER_LIMIT, Expansion, SparseIndex
from components.text.language import LANGUAGES, detect_language
from components.text.tokenizer import tokenize

MORE = 4  # how much further to look each time invisible or filtered chunks used up the places
NO_POSITIONS = "the keyword index is older than phrases, whose words may stand anywhere in a chunk: khub reindex"


@component
class SparseRetriever:
    """Finds chunks by the question's terms.

    :param top_k: number of chunks to return, 1 or more.
    :param per_language: so many of every language of the collection, where `top_k` does not reach as far: in a large
        collection, the few chunks that hold a translation of some word stand behind the many that hold another word
        itself. 0 for no more than `top_k`.
    :raises GraphError: when a parameter is out of bounds.
    """

    def __init__(self, top_k: int = 30, per_language: int = 30) -> None:
        if top_k < 1:
            raise GraphError(f"SparseRetriever has top_k={top_k}", "give 1 or more")
        check_per_language("SparseRetriever", per_language)
        self.top_k = top_k
        self.per_language = per_language

    @component.output_types(documents=list[Document], leg=dict)
    def run(
        self,
        terms: list[str],
        collection: str | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        phrases: list[list[str]] | None = None,
        expansions: list[dict[str, Any]] | None = None,
        sides: list[str] | None = None,
    ) -> dict[str, Any]:
        """Search the keyword index.

        :param terms: tokens of the question, as `components.text.tokenizer` makes them.
        :param collection: name of the collection; the only one, or `default`, if None.
        :param filters: a Haystack metadata filter.
        :param legs: legs that the caller wants, None for all.
        :param phrases: tokens that a chunk must hold one behind the other. A phrase that no chunk holds is searched as
            the words that `terms` has of it, and the report's `reason` says so.
        :param expansions: other words for some of the terms, at lower weight (see `QueryAnalyzer`).
        :param sides: what a comparison compares: each is searched on its own too, with its own phrases and expansions,
            and the places are dealt out in turn.
        :returns: `documents` with `score` = BM25 > 0, best first (in turns where there are `sides`, with what further
            languages have behind them); `leg` with
            `coverage`, the share of the terms that the index knows, where `$KHUB_ACCESS` keeps nothing back `rarity`,
            the inverse document frequency of each in the whole index, and, where no filter is given, `unknown`, the
            codes that no chunk holds (see `unknown_codes`), if any, else `filtered` (True). A term counts as known when
            one of its expansions is.
        :raises StoreError: if the index cannot be used.
        """
        check_legs(legs)
        if not wanted("sparse", legs):
            return left_out("sparse", "left out by the caller")
        catalog = open_catalog()
        name = catalog.collections.resolve(collection)
        matching = catalog.chunks.matching(name, filters or None)
        if not terms:
            return left_out("sparse", "the question holds no words")
        if matching == [] or not catalog.chunks.has_any(name):
            return {"documents": [], "leg": report("sparse", 0, "no chunk to search", coverage=0.0)}
        index = sparse_reader(catalog, name).get()
        expansions = expansions or []
        search = _Search(Passages(catalog, name, matching), index, self.top_k)
        question = _Question(terms, phrases or [], expansions)
        documents, reason = search.best(question)
        others = [search.best(_side(side, expansions))[0] for side in sides or ()]
        documents = interleaved([documents, *others], self.top_k)
        documents = joined(documents, self._of_languages(search, question), in_turns=bool(sides))
        words: dict[str, Any] = {} if matching is None else {"filtered": True}
        # it is that of the whole index, and would tell of passages that are kept from this process
        if access_levels() is None:
            words["rarity"] = index.rarity(terms, expansions)
        # a filter has only a part of the index
        if matching is None and (unknown := unknown_codes(index, terms, expansions)):
            words["unknown"] = unknown
        return {
            "documents": documents,
            "leg": report("sparse", len(documents), reason, coverage=index.coverage(terms, expansions), **words),
        }

    def _of_languages(self, search: "_Search", question: "_Question") -> list[Document]:
        """Search every language but the question's; in that one, `top_k` is enough."""
        if not self.per_language or question.phrases:
            return []
        own = detect_language(" ".join(question.terms))
        others = search.index.languages([language for language in LANGUAGES if language != own])
        return [found for language in others for found in search.in_language(question, language, self.per_language)]


@dataclass(frozen=True)
class _Question:
    terms: list[str]
    phrases: list[list[str]]
    expansions: list[dict[str, Any]]


def _side(text: str, expansions: list[dict[str, Any]]) -> _Question:
    tokens = tokenize(text)
    own = [other for other in expansions if holds(tokens, tokenize(other["of"]))]
    return _Question(without_stopwords(text), quoted_phrases(text), own)


@dataclass(frozen=True)
class _Search:
    """The way from terms to chunks: visible, allowed by the filter."""

    passages: Passages
    index: SparseIndex
    top_k: int

    def best(self, question: _Question) -> tuple[list[Document], str]:
        """Return the best chunks, and what became of the phrases where they could not be taken at their word."""
        phrases = question.phrases
        note = NO_POSITIONS if any(len(phrase) > 1 for phrase in phrases) and not self.index.knows_positions else ""
        documents = self._found(question, phrases, self.top_k)
        if documents or not phrases:
            return documents, note
        held = [phrase for phrase in phrases if self._found(question, [phrase], 1)] if len(phrases) > 1 else []
        missing = len(phrases) - len(held)
        if missing:
            reason = (
                "no chunk holds the quoted words" if len(phrases) == 1 else f"no chunk holds {missing} of the quotes"
            )
        else:
            reason, held = "no chunk holds all quotes together", []
        documents = self._found(question, held, self.top_k) or self._found(question, [], self.top_k)
        return documents, "; ".join(part for part in (f"{reason}: searched as ordinary words", note) if part)

    def in_language(self, question: _Question, language: str, top_k: int) -> list[Document]:
        """Return the best chunks in one language."""
        return self._found(question, question.phrases, top_k, language)

    def _found(
        self, question: _Question, phrases: list[list[str]], top_k: int, language: str | None = None
    ) -> list[Document]:
        searched = self.passages.searched
        only = searched if searched is not None and len(searched) <= ID_FILTER_LIMIT else None
        allowed = set(searched) if searched is not None and only is None else None
        others: list[Expansion] = list(question.expansions)
        places = top_k
        while True:
            hits = self.index.search(question.terms, places, only, others, phrases, language)
            found = self.passages.fetch([i for i, _ in hits if allowed is None or i in allowed])
            documents = [changed(found[i][0], score=score) for i, score in hits if i in found][:top_k]
            if len(documents) == top_k or len(hits) < places:
                return documents
            places *= MORE


def check_legs(legs: list[str] | None) -> None:
    """Refuse names of legs that do not exist.

    :raises QueryError: naming the unknown leg.
    """
    unknown = [leg for leg in legs or () if leg not in LEGS]
    if unknown or legs == []:
        raise QueryError(
            f"leg {unknown[0]!r} is unknown" if unknown else "no leg is wanted", f"name some of: {', '.join(LEGS)}"
        )
