"""What is shown of the ranked passages, in which order, and with what around them."""

import math
from typing import Any

from haystack import Document, component

from khub.components.answers.coverage import covering
from khub.components.answers.duplicates import merged
from khub.components.answers.editions import newest_first
from khub.components.answers.exact_codes import with_its_section_first
from khub.components.answers.fixed_order import in_fixed_order
from khub.components.answers.page_penalty import behind_their_page
from khub.components.answers.places import by_score, falling_shares, preferred, spread
from khub.components.answers.surroundings import surroundings
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.neighbours import neighbours
from khub.components.catalog.passage import PassageMeta, changed
from khub.components.enrichers.near_duplicates import LOWEST_THRESHOLD
from khub.components.errors import ParameterError
from khub.components.question import Question

REACH = 4
"""Chunks looked at on each side of a passage for the text around it."""


@component
class Evidence:
    """Makes evidence of a ranking: near-duplicates merged, preferences and pages weighed, what is named in its place.

    No passage is dropped but for those that another one says already. Where nothing is to do, the passages go on as
    they came.
    """

    def __init__(
        self,
        duplicates: float = 0.9,
        max_per_document: int | None = None,
        preference_weight: float = 0.15,
        context_characters: int = 0,
        page_penalty: float = 0.0,
        coverage: float = 0.3,
    ) -> None:
        """Keep the parameters.

        :param duplicates: Jaccard similarity of character shingles from which on passages say the same, 0.7 to 1 (see
            `khub.components.answers.duplicates`); at 1 only equal texts do.
        :param max_per_document: so many passages of one document come first, 1 or more; None for any number.
        :param preference_weight: what a passage gains by a preference, from 0 to 1, as a share of the distance from
            the best score to the worst. Above 0, the newest edition of what a question for the newest finds takes the
            place of the best one (see `khub.components.answers.editions`).
        :param context_characters: so much text from around each passage goes with it, at most; 0 for none.
        :param page_penalty: what a passage loses by each better one of the same page, from 0 to 1. Here as there, the
            worst score of the ranking counts as 0 and the best as 1.
        :param coverage: how much words of the question count that better passages lack, beside the score, from 0 to 1:
            so each side of a comparison has its place (see `khub.components.answers.coverage`).
        :raises GraphError: when a parameter is out of bounds.
        """
        for name, value, least, most in (
            ("duplicates", duplicates, LOWEST_THRESHOLD, 1),
            ("max_per_document", max_per_document, 1, math.inf),
            ("preference_weight", preference_weight, 0, 1),
            ("context_characters", context_characters, 0, math.inf),
            ("page_penalty", page_penalty, 0, 1),
            ("coverage", coverage, 0, 1),
        ):
            if value is not None and not least <= value <= most:
                bounds = f"{least} to {most}" if most == 1 else f"{least} or more"
                raise ParameterError(f"Evidence has {name}={value}", f"give {bounds}")
        self.duplicates = duplicates
        self.max_per_document = max_per_document
        self.preference_weight = preference_weight
        self.context_characters = context_characters
        self.page_penalty = page_penalty
        self.coverage = coverage

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document]) -> dict[str, Any]:
        """Order and complete the passages.

        :param question: what its `terms` name is to stand among the first; its `preferences` weigh and never exclude;
            its `collection` is where the text around the passages is.
        :param documents: ranked passages, best first.
        :returns: `documents`: in their new order; with `meta.also_in` (list of `{"doc_id", "source", "title",
            "page"}`) where others were merged into one, `meta.context` (`{"before", "after", "section"}`, see
            `khub.components.answers.surroundings`) where it is wanted, and `meta.ranks.evidence`, the new rank, where
            the order has changed.
        """
        distinct = merged(documents, self.duplicates)
        covering_words = self.coverage and question.terms
        moving = question.preferences or self.page_penalty or self.max_per_document or covering_words
        before = ordered = in_fixed_order(distinct) if moving else distinct
        scores = self._weighed(ordered, question)
        if question.preferences or self.page_penalty:
            ordered = by_score(ordered, scores)
        if covering_words:
            falling = sorted(scores, reverse=True)
            ordered = covering(ordered, falling, question.terms, question.expansions, self.coverage)
        if self.preference_weight:
            ordered = with_its_section_first(newest_first(ordered, question), question.text)
        if self.max_per_document:
            ordered = spread(ordered, self.max_per_document)
        moved = [document.id for document in ordered] != [document.id for document in before]
        found = [_ranked(document, rank) for rank, document in enumerate(ordered, start=1)] if moved else ordered
        return {"documents": self._in_context(found, question.collection_name) if self.context_characters else found}

    def _weighed(self, documents: list[Document], question: Question) -> list[float]:
        scores = falling_shares(documents)
        scores = preferred(documents, scores, question.preferences, question.terms, self.preference_weight)
        return behind_their_page(documents, scores, self.page_penalty)

    def _in_context(self, documents: list[Document], collection: str) -> list[Document]:
        catalog = open_catalog()
        places = {document.id: (document.meta["doc_id"], document.meta["ordinal"]) for document in documents}
        around = neighbours(catalog, collection, list(places.values()), REACH)
        return [_with_context(document, around[places[document.id]], self.context_characters) for document in documents]


def _with_context(document: Document, chunks: list[Document], characters: int) -> Document:
    if not chunks:
        return document
    return changed(document, meta=PassageMeta(document.meta, context=surroundings(document, chunks, characters)))


def _ranked(document: Document, rank: int) -> Document:
    ranks = {**document.meta.get("ranks", {}), "evidence": rank}
    return changed(document, meta=PassageMeta(document.meta, ranks=ranks))
