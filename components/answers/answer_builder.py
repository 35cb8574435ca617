"""Answer with the passages themselves, cited; no language model is asked."""

from typing import Any

from haystack import Document, component
from haystack.core.component.types import Variadic

from components.answers.applied_filters import by_page, only_filters
from components.answers.asked_number import asked_number
from components.answers.citation import citation, shown
from components.answers.confidence import confidence
from components.answers.fixed_order import in_fixed_order
from components.answers.key_sentence import other_words, term_weights
from components.answers.leg_reports import complete_legs, in_order_of_stages, keyword_report
from components.answers.markdown import (
    WORDS,
    degraded_note,
    filter_notes,
    no_answer,
    pageless_note,
    passages_as_markdown,
    unknown_note,
)
from components.answers.overview import asks_for_all, in_reading_order
from components.errors import GraphError, QueryError
from components.query.question_language import question_language
from components.query.stopwords import without_stopwords

TOP_K_LIMIT = 100
LEAST_CHARACTERS = 1000
SEARCH: dict[str, Any] = {"name": "search", "confidence": 1.0}
INTERNAL = ("rarity", "means", "spread", "filtered")  # of a leg's report: for the stages, not for who reads the answer


@component
class AnswerBuilder:
    """Makes the answer of a graph without a language model: a cited list of the best passages, or that there are none.

    The order in which the stages report does not change the answer.
    """

    def __init__(
        self,
        top_k: int = 5,
        max_characters: int = 12000,
        min_confidence: float = 0.01,
        sure_confidence: float = 0.39,
    ) -> None:
        """Keep the bounds.

        :param top_k: passages cited where a call does not say, from 1 to 100.
        :param max_characters: length of the Markdown, 1000 or more; wide (Chinese) characters count one and a half.
        :param min_confidence: below it (0 or more; above 1, always) the answer abstains. The confidence is an estimated
            probability, so that a higher bound turns more questions away, answerable ones too.
        :param sure_confidence: below it (from 0 to 1) the first line says that the documents may not answer this.
        :raises GraphError: when `top_k` or a confidence is out of bounds, or `max_characters` too small for an answer.
        """
        if not 1 <= top_k <= TOP_K_LIMIT:
            raise GraphError(f"AnswerBuilder has top_k={top_k}", f"give 1 to {TOP_K_LIMIT}")
        if max_characters < LEAST_CHARACTERS:
            raise GraphError(
                f"AnswerBuilder has max_characters={max_characters}", f"give {LEAST_CHARACTERS} characters or more"
            )
        if not min_confidence >= 0:
            raise GraphError(f"AnswerBuilder has min_confidence={min_confidence}", "give 0 or more")
        if not 0 <= sure_confidence <= 1:
            raise GraphError(f"AnswerBuilder has sure_confidence={sure_confidence}", "give a number from 0 to 1")
        self.top_k = top_k
        self.max_characters = max_characters
        self.min_confidence = min_confidence
        self.sure_confidence = sure_confidence

    @component.output_types(answer=dict)
    def run(  # noqa: PLR0913, PLR0917 - each is a socket of the graph
        self,
        query: str,
        documents: list[Document] | None = None,
        chat: str | None = None,
        intent: dict | None = None,
        searched: str | None = None,
        applied: list[dict] | None = None,
        collection: str | None = None,
        top_k: int | None = None,
        expansions: list[dict] | None = None,
        degraded: Variadic[list[dict]] = (),
        legs: Variadic[dict] = (),
    ) -> dict[str, Any]:
        """Build the answer.

        :param query: the question as it was asked; the fixed words are in its language (Chinese, or else English).
        :param documents: ranked passages, best first; none where nothing was searched.
        :param chat: a reply that needs no passages; where it is given, it is the answer.
        :param intent: `{"name", "confidence"}` of what the question wants; by default it is `search`, surely.
        :param searched: the question without the words that became a filter (see `QueryFilters`); the whole, if None.
        :param applied: `{"text", "from", "words"}` of each filter, and `dropped` (why) where one was not applied.
        :param collection: name of the collection that was searched.
        :param top_k: passages to cite, from 1 to 100, in place of the component's.
        :param expansions: synonyms and translations of the question's words (see `QueryTranslation`), by which the
            marked sentence is found in another language, too.
        :param degraded: each stage's list of `{"stage", "reason"}`.
        :param legs: each leg's `{"name", "used", "hits", "reason"}`; the keyword leg's also with `coverage` and
            `rarity` (see `SparseRetriever`).
        :returns: `answer`: a dict that JSON can hold, with `answer` (Markdown), `abstained`, `confidence` (from 0
            to 1, see `components.answers.confidence`; of a chat reply that of its intent), `citations` (see
            `components.answers.citation`; none when abstained), `intent`, `intent_confidence`, `filters` (as
            `applied`), `collection`, `legs` and `degraded`.
        :raises QueryError: when `top_k` is out of bounds.
        :raises RetrievalError: when no leg could answer and at least one of them has failed.
        """
        wanted = self._checked(self.top_k if top_k is None else top_k)
        failures = in_order_of_stages(filter(None, degraded))
        # where no leg reports, the pipeline puts the default into the list
        reports = complete_legs(filter(None, legs), failures)
        frame = {
            "intent": (intent or SEARCH)["name"],
            "intent_confidence": float((intent or SEARCH)["confidence"]),
            "filters": list(applied or []),
            "collection": collection or "",
            "legs": [{key: value for key, value in leg.items() if key not in INTERNAL} for leg in reports],
            "degraded": failures,
        }
        if chat is not None:
            said = {"answer": chat[: self.max_characters], "abstained": False, "citations": []}
            return {"answer": {**said, "confidence": frame["intent_confidence"], **frame}}
        ranking = in_fixed_order(documents or [])
        return {
            "answer": {
                **self._of_passages(
                    query, searched, ranking, wanted, reports, failures, applied or [], expansions or []
                ),
                **frame,
            }
        }

    @component.output_types(answer=dict)
    async def run_async(  # noqa: PLR0913, PLR0917 - as run
        self,
        query: str,
        documents: list[Document] | None = None,
        chat: str | None = None,
        intent: dict | None = None,
        searched: str | None = None,
        applied: list[dict] | None = None,
        collection: str | None = None,
        top_k: int | None = None,
        expansions: list[dict] | None = None,
        degraded: Variadic[list[dict]] = (),
        legs: Variadic[dict] = (),
    ) -> dict[str, Any]:
        """Do what `run` does.

        :param query: the question.
        :param documents: ranked passages, best first.
        :param chat: a reply that needs no passages.
        :param intent: what the question wants.
        :param searched: the question without the words that became a filter.
        :param applied: the filters.
        :param collection: name of the collection that was searched.
        :param top_k: passages to cite.
        :param expansions: synonyms and translations of the question's words.
        :param degraded: each stage's list of failures.
        :param legs: each leg's report.
        :returns: `answer`.
        :raises QueryError: as `run` does.
        :raises RetrievalError: as `run` does.
        """
        return self.run(
            query=query,
            documents=documents,
            chat=chat,
            intent=intent,
            searched=searched,
            applied=applied,
            collection=collection,
            top_k=top_k,
            expansions=expansions,
            degraded=degraded,
            legs=legs,
        )

    def _of_passages(
        self,
        query: str,
        searched: str | None,
        ranking: list[Document],
        wanted: int,
        reports: list[dict[str, Any]],
        failures: list[dict[str, Any]],
        applied: list[dict[str, Any]],
        expansions: list[dict[str, Any]],
    ) -> dict[str, Any]:
        browsed = asks_for_all(query, searched or query)
        best = (in_reading_order(ranking, by_page(applied)) if browsed else ranking)[:wanted]
        told = keyword_report(reports)
        sure = confidence(ranking, told, self.min_confidence)
        abstained = not best or (sure < self.min_confidence and not browsed)
        terms = set(without_stopwords(searched or query))
        language = _language(query)
        unknown = unknown_note(told.get("unknown", ()), query, language)
        only = WORDS[language]["only"] if only_filters(query, searched, applied) else ""
        weights = term_weights(terms, told.get("rarity"))
        others = other_words(expansions, terms)
        asked = asked_number(query)
        passages = [citation(rank, document, weights, others, asked) for rank, document in enumerate(best, start=1)]
        filtered = (*filter_notes(applied, language), pageless_note(applied, passages, language))
        notes = [n for n in (degraded_note(failures, language), unknown, only, *filtered) if n]
        if abstained:
            text = no_answer(passages, notes, language, self.max_characters)
        else:
            measured = any("scores" in document.meta for document in best)
            is_sure = sure >= self.sure_confidence or not measured or browsed
            text = passages_as_markdown(passages, terms, notes, language, self.max_characters, is_sure)
        citations = [] if abstained else [shown(passage) for passage in passages]
        return {"answer": text, "abstained": abstained, "confidence": sure, "citations": citations}

    def _checked(self, top_k: int) -> int:
        if not 1 <= top_k <= TOP_K_LIMIT:
            raise QueryError(f"top_k is {top_k}", f"ask for 1 to {TOP_K_LIMIT} passages")
        return top_k


def _language(query: str) -> str:
    detected = question_language(query)
    return detected if detected in WORDS else "en"
