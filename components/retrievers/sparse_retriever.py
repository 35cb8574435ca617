"""Keyword leg: BM25 over the collection's keyword index, or what its store holds of words."""

from dataclasses import dataclass, replace
from typing import Any

from haystack import Document, component

from khub.components.catalog.access import access_levels
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.passage import changed
from khub.components.errors import ParameterError
from khub.components.query.phrases import holds, quoted_phrases
from khub.components.question import Expansion, KeywordSigns, Leg, Question
from khub.components.retrievers.interleave import interleaved
from khub.components.retrievers.languages import check_per_language, joined
from khub.components.retrievers.passages import Passages
from khub.components.retrievers.unknown_names import unknown_names
from khub.components.stores.bound_keywords import bound_keywords
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.stores.replica import behind, with_no_commit_between
from khub.components.stores.sparse_index import ID_FILTER_LIMIT
from khub.components.text.language import LANGUAGES
from khub.components.text.stopwords import search_terms
from khub.components.text.symbols import is_symbol
from khub.components.text.tokenizer import tokenize

NAME = "sparse"
MORE = 4  # how much further to look each time invisible or filtered chunks used up the places
NO_POSITIONS = "the keyword index is older than phrases, whose words may stand anywhere in a chunk: khub reindex"
NO_SYMBOLS = "the keyword index is older than symbols, which it does not find: khub reindex"


@component
class SparseRetriever:
    """Finds chunks by the question's terms.

    :param top_k: number of chunks to return, 1 or more; more for a question that wants many (`Question.depth`).
    :param per_language: so many of every language of the collection, where `top_k` does not reach as far: in a large
        collection, the few chunks that hold a translation of some word stand behind the many that hold another word
        itself. 0 for no more than `top_k`.
    :raises GraphError: when a parameter is out of bounds.
    """

    def __init__(self, top_k: int = 30, per_language: int = 30) -> None:
        if top_k < 1:
            raise ParameterError(f"SparseRetriever has top_k={top_k}", "give 1 or more")
        check_per_language("SparseRetriever", per_language)
        self.top_k = top_k
        self.per_language = per_language

    @component.output_types(documents=list[Document], leg=Leg)
    def run(self, question: Question) -> dict[str, Any]:
        """Search the keyword index.

        A phrase that no chunk holds is searched as the words that `terms` has of it, and the leg's `reason` says so.

        :param question: its `terms`, `phrases`, `expansions` (at lower weight), `filters` and `sub_queries`: each of
            these is searched on its own too, and the places are dealt out in turn.
        :returns: `documents` with `score` = BM25, best first (in turns where there are sub-queries; what single
            languages have is behind them); `leg` with its `signs`: `unknown` and what goes with it where no filter is
            given, `rarity` where `$KHUB_ACCESS` keeps nothing back. A term counts as known when one of its expansions
            is.
        :raises StoreError: if the index cannot be used.
        """
        if question.legs is not None and NAME not in question.legs:
            return _left_out("left out by the caller")
        catalog = open_catalog()
        name = question.collection_name
        if not question.terms:
            return _left_out("the question holds no words")
        return with_no_commit_between(catalog, name, lambda: self._found(catalog, name, question))

    def _found(self, catalog: Catalog, name: str, question: Question) -> dict[str, Any]:
        matching = catalog.chunks.matching(name, question.filters or None)
        terms, expansions = question.terms, question.expansions
        if matching == [] or not catalog.chunks.has_any(name):
            catalog.collections.resolve(name)  # there may be no such collection
            return {"documents": [], "leg": Leg(NAME, reason="no chunk to search", signs=KeywordSigns(coverage=0.0))}
        late = behind(catalog, name)
        index = bound_keywords(catalog, name)
        top_k = question.depth(self.top_k)
        search = _Search(Passages(catalog, name, matching), index, top_k)
        asked = _Question(terms, question.phrases, expansions)
        documents, reason = search.best(asked)
        if not index.knows_symbols and any(map(is_symbol, asked.every_term())):
            reason = "; ".join(filter(None, (reason, NO_SYMBOLS)))
        others = [search.best(_side(side, expansions))[0] for side in question.sub_queries]
        documents = interleaved([documents, *others], top_k)
        further = self._of_languages(search, asked, question.language)
        documents = joined(documents, further, in_turns=bool(question.sub_queries))
        signs = KeywordSigns(
            coverage=index.coverage(terms, expansions),
            # it is that of the whole index, and would tell of passages that are kept from this process
            rarity=index.rarity(terms, expansions) if access_levels() is None else {},
            filtered=matching is not None,
        )
        if matching is None:  # a filter has only a part of the index
            unknown = unknown_names(index, question.text, terms, expansions)
            signs = replace(signs, unknown=unknown.names, elsewhere=unknown.elsewhere, spelled=unknown.spelled)
        return {"documents": documents, "leg": Leg(NAME, documents, reason=reason, signs=signs, behind=late)}

    def _of_languages(self, search: "_Search", question: "_Question", own: str) -> list[Document]:
        """Search every language but the question's; in that one, `top_k` is enough."""
        if not self.per_language or question.phrases:
            return []
        others = search.index.languages([language for language in LANGUAGES if language != own])
        return [found for language in others for found in search.in_language(question, language, self.per_language)]


@dataclass(frozen=True)
class _Question:
    terms: list[str]
    phrases: list[list[str]]
    expansions: list[Expansion]

    def every_term(self) -> list[str]:
        """Return the terms, those of the expansions among them."""
        return [*self.terms, *(term for other in self.expansions for term in other.terms)]


def _side(text: str, expansions: list[Expansion]) -> _Question:
    tokens = tokenize(text)
    own = [other for other in expansions if holds(tokens, tokenize(other.of))]
    return _Question(search_terms(text), quoted_phrases(text), own)


@dataclass(frozen=True)
class _Search:
    """The way from terms to chunks: visible, allowed by the filter."""

    passages: Passages
    index: KeywordIndex
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


def _left_out(reason: str) -> dict[str, Any]:
    return {"documents": [], "leg": Leg.left_out(NAME, reason)}
