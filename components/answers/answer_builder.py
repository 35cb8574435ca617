"""Answer with the passages themselves, cited; no language model is asked."""

import math
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from haystack import Document, component
from haystack.core.component.types import Variadic

from components.answers.confidence import confidence
from components.answers.leg_reports import complete_legs, in_order_of_stages
from components.answers.markdown import WORDS, file_name, no_answer, passages_as_markdown
from components.errors import GraphError, QueryError
from components.query.stopwords import without_stopwords
from components.text.language import detect_language

TOP_K_LIMIT = 100
LEAST_CHARACTERS = 1000


@component
class AnswerBuilder:
    """Makes the answer of a graph without a language model: a cited list of the best passages, or that there are none.

    The order in which the stages report does not change the answer.
    """

    def __init__(self, top_k: int = 5, max_characters: int = 12000, min_confidence: float = 0.05) -> None:
        """Keep the bounds.

        :param top_k: passages cited where a call does not say, from 1 to 100.
        :param max_characters: length of the Markdown, 1000 or more; wide (Chinese) characters count one and a half.
        :param min_confidence: below it (from 0 to 1) the answer abstains. The confidence is an estimated probability,
            so that a higher bound turns more questions away, answerable ones too.
        :raises GraphError: when `top_k` is out of bounds, or `max_characters` too small for an answer.
        """
        if not 1 <= top_k <= TOP_K_LIMIT:
            raise GraphError(f"AnswerBuilder has top_k={top_k}", f"give 1 to {TOP_K_LIMIT}")
        if max_characters < LEAST_CHARACTERS:
            raise GraphError(
                f"AnswerBuilder has max_characters={max_characters}", f"give {LEAST_CHARACTERS} characters or more"
            )
        self.top_k = top_k
        self.max_characters = max_characters
        self.min_confidence = min_confidence

    @component.output_types(answer=dict)
    def run(
        self,
        query: str,
        documents: list[Document],
        collection: str | None = None,
        top_k: int | None = None,
        degraded: Variadic[list[dict]] = (),
        legs: Variadic[dict] = (),
    ) -> dict[str, Any]:
        """Build the answer.

        :param query: the question; the fixed words are in its language (Chinese, or else English).
        :param documents: ranked passages, best first.
        :param collection: name of the collection that was searched.
        :param top_k: passages to cite, from 1 to 100, in place of the component's.
        :param degraded: each stage's list of `{"stage", "reason"}`.
        :param legs: each leg's `{"name", "used", "hits", "reason"}`; the keyword leg's also with `coverage` and
            `rarity` (see `SparseRetriever`).
        :returns: `answer`: a dict that JSON can hold, with `answer` (Markdown), `abstained`, `confidence` (from 0
            to 1, see `components.answers.confidence`), `citations` (none when abstained), `intent`, `collection`,
            `legs` and `degraded`.
        :raises QueryError: when `top_k` is out of bounds.
        :raises RetrievalError: when no leg could answer and at least one of them has failed.
        """
        wanted = self._checked(self.top_k if top_k is None else top_k)
        failures = in_order_of_stages(degraded)
        # where no leg reports, the pipeline puts the default into the list
        reports = complete_legs(filter(None, legs), failures)
        terms = set(without_stopwords(query))
        best = _in_fixed_order(documents)[:wanted]
        rarity, coverage = _known_words(reports)
        sure = confidence(best, rarity, coverage, self.min_confidence)
        abstained = not best or sure < self.min_confidence
        passages = [] if abstained else [_passage(rank, document) for rank, document in enumerate(best, start=1)]
        language = _language(query)
        return {
            "answer": {
                "answer": no_answer(failures, language)
                if abstained
                else passages_as_markdown(passages, terms, failures, language, self.max_characters),
                "abstained": abstained,
                "confidence": sure,
                "citations": [{k: v for k, v in passage.items() if k != "pages"} for passage in passages],
                "intent": "search",
                "collection": collection or "",
                "legs": [{key: value for key, value in leg.items() if key != "rarity"} for leg in reports],
                "degraded": failures,
            }
        }

    @component.output_types(answer=dict)
    async def run_async(
        self,
        query: str,
        documents: list[Document],
        collection: str | None = None,
        top_k: int | None = None,
        degraded: Variadic[list[dict]] = (),
        legs: Variadic[dict] = (),
    ) -> dict[str, Any]:
        """Do what `run` does.

        :param query: the question.
        :param documents: ranked passages, best first.
        :param collection: name of the collection that was searched.
        :param top_k: passages to cite.
        :param degraded: each stage's list of failures.
        :param legs: each leg's report.
        :returns: `answer`.
        :raises QueryError: as `run` does.
        :raises RetrievalError: as `run` does.
        """
        return self.run(
            query=query, documents=documents, collection=collection, top_k=top_k, degraded=degraded, legs=legs
        )

    def _checked(self, top_k: int) -> int:
        if not 1 <= top_k <= TOP_K_LIMIT:
            raise QueryError(f"top_k is {top_k}", f"ask for 1 to {TOP_K_LIMIT} passages")
        return top_k


def _known_words(reports: list[dict[str, Any]]) -> tuple[dict[str, float] | None, float | None]:
    """Return how rare each of the query's terms is in the collection, and the share of them that it knows."""
    told = [leg for leg in reports if leg.get("rarity")]
    return (told[0]["rarity"], told[0].get("coverage")) if told else (None, None)


def _language(query: str) -> str:
    detected = detect_language(query)
    return detected if detected in WORDS else "en"


def _in_fixed_order(documents: list[Document]) -> list[Document]:
    """Order equal scores by id where no ranker has: a joiner orders them by which leg was first."""
    if any("ranks" in document.meta for document in documents):
        return documents
    ties: Iterable[list[Document]] = (list(group) for _, group in groupby(documents, key=lambda d: d.score))
    return [document for tie in ties for document in sorted(tie, key=lambda d: d.id)]


def _passage(rank: int, document: Document) -> dict[str, Any]:
    meta = document.meta
    source = str(meta.get("source") or "")
    score = float(document.score or 0.0)
    return {
        "id": rank,
        "chunk_id": document.id,
        "doc_id": meta.get("doc_id") or "",
        "source": source,
        "title": meta.get("title") or file_name(source),
        "section": meta.get("section") or "",
        "page": meta.get("page"),
        "pages": meta.get("pages"),
        "text": document.content or "",
        "score": score if math.isfinite(score) else 0.0,
        "ranks": meta.get("ranks") or {"fusion": rank},
        "images": list(meta.get("image_refs") or []),
    }
