"""Answer with the passages themselves, cited; no language model is asked."""

from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.core.component.types import Variadic

from khub.components.answer import Answer
from khub.components.answers.applied_filters import by_page, of_question, only_filters
from khub.components.answers.calibration import NOT_SHOWN
from khub.components.answers.citation import citations
from khub.components.answers.confidence import confidence, not_held
from khub.components.answers.fixed_order import in_fixed_order
from khub.components.answers.highlight import Highlighter
from khub.components.answers.leg_reports import joined_failures, keyword_signs, late_legs, whole_legs
from khub.components.answers.markdown import (
    WORDS,
    corrected_note,
    degraded_note,
    field_notes,
    filter_notes,
    no_answer,
    not_shown_note,
    pageless_note,
    passages_as_markdown,
    unknown_note,
)
from khub.components.answers.not_shown import not_shown
from khub.components.answers.overview import asks_for_all, in_reading_order
from khub.components.embedders.static_model import StaticModel
from khub.components.embedders.static_part import static_part
from khub.components.errors import GraphError, ParameterError
from khub.components.question import TOP_K_LIMIT, KeywordSigns, Leg, Question, check_top_k

LEAST_CHARACTERS = 1000


@component
class AnswerBuilder:
    """Makes the answer of a graph without a language model: a cited list of the best passages, or that there are none.

    The order in which the stages report does not change the answer.
    """

    def __init__(
        self,
        top_k: int = 5,
        max_characters: int = 12000,
        min_confidence: float = 0.24,
        sure_confidence: float = 0.45,
        mark_model: str | None = "khub-fast",
        whole_from: float = 0.5,
    ) -> None:
        """Keep the bounds.

        :param top_k: passages cited where a call does not say, from 1 to 100.
        :param max_characters: length of the Markdown, 1000 or more; wide (Chinese) characters count one and a half.
        :param min_confidence: below it (0 or more; above 1, always) the answer abstains. The confidence is an estimated
            probability, so that a higher bound turns more questions away, answerable ones too.
        :param sure_confidence: below it (from 0 to 1) the first line says that the documents may not answer this.
        :param mark_model: a static model, by whose vectors the marked sentence is found, too; None: by words alone.
        :param whole_from: of a passage whose score is a smaller share (0 to 1) of the best one, the Markdown quotes
            only the sentence that carries the match; 0: all are quoted whole.
        :raises GraphError: when `top_k`, a share or a confidence is out of bounds, or `max_characters` too small.
        """
        for name, value, fits, remedy in (
            ("top_k", top_k, 1 <= top_k <= TOP_K_LIMIT, f"1 to {TOP_K_LIMIT}"),
            ("max_characters", max_characters, max_characters >= LEAST_CHARACTERS, f"{LEAST_CHARACTERS} or more"),
            ("min_confidence", min_confidence, min_confidence >= 0, "0 or more"),
            ("sure_confidence", sure_confidence, 0 <= sure_confidence <= 1, "a number from 0 to 1"),
            ("whole_from", whole_from, 0 <= whole_from <= 1, "a number from 0 to 1"),
        ):
            if not fits:
                raise ParameterError(f"AnswerBuilder has {name}={value}", f"give {remedy}")
        self.top_k = top_k
        self.max_characters = max_characters
        self.min_confidence = min_confidence
        self.sure_confidence = sure_confidence
        self.mark_model = mark_model
        self.whole_from = whole_from
        self._model: StaticModel | None = None

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
        :raises GraphError: when it is no static model.
        """
        if self._model is None and self.mark_model is not None:
            self._model = static_part(self.mark_model, "AnswerBuilder has mark_model")

    @component.output_types(answer=Answer)
    def run(
        self,
        question: Question | None = None,
        chat: Question | None = None,
        documents: list[Document] | None = None,
        top_k: int | None = None,
        legs: Variadic[Leg] = (),
        degraded: Variadic[list[Any]] = (),
    ) -> dict[str, Answer]:
        """Build the answer.

        :param question: what was asked; the fixed words are in its language (Chinese, or else English). By its
            `expansions` the marked sentence is found in another language, too.
        :param chat: small talk with its reply, in place of a question.
        :param documents: ranked passages, best first; none where nothing was searched.
        :param top_k: passages to cite, from 1 to 100, in place of those that the question wants, or else the
            component's.
        :param legs: what the legs say of themselves.
        :param degraded: each stage's list of `{"stage", "reason"}`.
        :returns: `answer`.
        :raises QueryError: when `top_k` is out of bounds.
        :raises RetrievalError: when no leg could answer and at least one of them has failed.
        """
        asked = question or chat
        if asked is None:
            raise GraphError("AnswerBuilder got neither a question nor a chat", "connect the stage that asks to it")
        check_top_k(top_k)
        wanted = top_k or asked.top_k or self.top_k
        every = whole_legs(legs)
        failures = [*joined_failures(degraded), *late_legs(every)]
        if asked.reply is not None:
            answer = Answer(asked.reply[: self.max_characters], False, asked.intent.confidence, [])
        else:
            note = degraded_note(failures, _language(asked), any(leg.failed or leg.behind for leg in every))
            answer = self._of_passages(asked, in_fixed_order(documents or []), wanted, keyword_signs(every), note)
        about = replace(
            answer,
            intent=asked.intent.name,
            intent_confidence=float(asked.intent.confidence),
            filters=asked.applied_filters,
            preferences=asked.preferences,
            corrections=asked.corrections,
            collection=asked.collection or "",
            legs=[leg.report() for leg in every],
            degraded=failures,
        )
        return {"answer": about}

    def _of_passages(
        self, question: Question, ranking: list[Document], wanted: int, signs: KeywordSigns, degraded: str
    ) -> Answer:
        query, searched, applied = question.asked, question.text or question.asked, question.applied_filters
        browsed = bool(of_question(applied)) and asks_for_all(searched)
        best = (in_reading_order(ranking, by_page(applied)) if browsed else ranking)[:wanted]
        sure = confidence(ranking, signs, question.language, self.min_confidence)
        language = _language(question)
        unknown = unknown_note(not_held(ranking, signs, question.language), query, language)
        only = WORDS[language]["only"] if only_filters(searched, applied) else ""
        self.warm_up()
        highlighter = Highlighter.of(question, signs.rarity, self._model)
        passages = citations(best, highlighter)
        absent = not_shown(searched, question.terms, question.language, passages)
        abstained = not best or (sure < self.min_confidence and not browsed)
        sure = min(sure, NOT_SHOWN) if any(absent) else sure
        filtered = (
            *filter_notes(applied, language),
            *field_notes(applied, language),
            pageless_note(applied, passages, language),
        )
        unseen = not_shown_note(absent, unknown, query, language)
        notes = [n for n in (degraded, corrected_note(question.corrections, language), unknown, only, *filtered) if n]
        if abstained:
            return Answer(no_answer(passages, notes, language, self.max_characters), True, sure, [])
        measured = any("scores" in document.meta for document in best)
        is_sure = sure >= self.sure_confidence or not measured or browsed
        whole_from = 0.0 if browsed else self.whole_from
        text = passages_as_markdown(passages, notes, language, self.max_characters, is_sure, unseen, whole_from)
        return Answer(text, False, sure, passages, not_shown=[*absent.anywhere, *absent.first])


def _language(question: Question) -> str:
    return question.language if question.language in WORDS else "en"
