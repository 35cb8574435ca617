"""One answer out of those of several collections: one ranking, one numbering, one text."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from khub.components.answer import Answer, AppliedFilter, AskedCollection, Citation, Degraded, LegReport
from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.answers.applied_filters import only_filters
from khub.components.answers.calibration import evidence_of
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
from khub.components.answers.not_shown import NotShown, not_shown
from khub.components.question import LEGS
from khub.components.text.question_language import question_language
from khub.components.text.stopwords import without_stopwords

COLLECTION = "collection"
"""The stage that stands in `degraded` for a collection which could not be asked."""


def merged(
    answers: Mapping[str, Answer], failures: list[Degraded], query: str, top_k: int | None, builder: AnswerBuilder
) -> Answer:
    """Return one answer, which says of each citation from which collection it is.

    Scores of two collections say nothing of each other, but confidences do: each says how much speaks for the passages.
    A passage weighs what speaks for its collection, less by how far it stands behind the first one there.
    One that abstains, or is not sure where another one is, gives no passage.

    :param answers: of passages, by collection; one at least.
    :param failures: collections that could not be asked.
    :param query: the question.
    :param top_k: passages to cite; None for as many as the longest answer has.
    :param builder: whose bounds count.
    :returns: the best answer, with the citations, `collections`, filters, legs, failures and times of all.
    """
    best_first = sorted(answers, key=lambda name: (answers[name].abstained, -answers[name].confidence, name))
    best = answers[best_first[0]]
    sure = best.confidence >= builder.sure_confidence
    telling = [n for n in best_first if not answers[n].abstained and answers[n].citations]
    if sure:
        telling = [name for name in telling if answers[name].confidence >= builder.sure_confidence]
    wanted = top_k or max([builder.top_k, *(len(answers[name].citations) for name in telling)])
    citations = _ranked([(name, answers[name]) for name in telling])[:wanted]
    degraded = [replace(entry, collection=name) for name, one in answers.items() for entry in one.degraded]
    answer = replace(
        best,
        collection=(citations[0].collection or "") if citations else best_first[0],
        citations=citations,
        filters=_filters(best, answers.values()),
        corrections=_corrections([answers[name] for name in telling] or [best]),
        legs=_legs(answers.values()),
        degraded=degraded + failures,
        timings_ms=_added(one.timings_ms for one in answers.values()),
        collections=[AskedCollection(n, one.abstained, one.confidence, one.trace_id) for n, one in answers.items()],
    )
    absent = not_shown(query, without_stopwords(query), question_language(query), citations)
    answer = replace(answer, not_shown=[*absent.anywhere, *absent.first])
    return replace(answer, answer=_text(answer, query, absent, builder)) if citations or best.abstained else answer


def _ranked(answers: Iterable[tuple[str, Answer]]) -> list[Citation]:
    """Return the citations of all, best first; those of one collection stay in their order."""
    weighed = []
    for name, answer in answers:
        top = max((citation.score for citation in answer.citations), default=0.0)
        weight = most = evidence_of(answer.confidence)
        for citation in answer.citations:
            weight = min(weight, most * (citation.score / top if top > 0 else 1.0))
            weighed.append((weight, replace(citation, collection=name)))
    weighed.sort(key=lambda pair: -pair[0])
    return [replace(citation, id=number) for number, (_, citation) in enumerate(weighed, start=1)]


def _text(answer: Answer, query: str, absent: NotShown, builder: AnswerBuilder) -> str:
    """Return the text of the answer, whose own is still that of the best one."""
    language = question_language(query)
    language = language if language in WORDS else "en"
    citations, applied = answer.citations, answer.filters
    failures = list({(entry.stage, entry.reason): entry for entry in answer.degraded}.values())
    lost_leg = any(entry.stage in (*LEGS, COLLECTION) for entry in failures)
    notes = [
        degraded_note(failures, language, lost_leg),
        corrected_note(answer.corrections, language),
        unknown_note([name for leg in answer.legs for name in leg.unknown], query, language),
        WORDS[language]["only"] if only_filters(query, applied) else "",
        *filter_notes(applied, language),
        *field_notes(applied, language),
        pageless_note(applied, citations, language),
    ]
    notes = [note for note in notes if note]
    if not citations:
        return no_answer([], notes, language, builder.max_characters)
    several = len({citation.collection for citation in citations}) > 1
    sure = not answer.answer.startswith(WORDS[language]["unsure"])
    unseen = not_shown_note(absent, " ".join(notes), query, language)
    named = [_with_collection(one) if several else one for one in citations]
    whole_from = 0.0 if several else builder.whole_from  # scores of two collections say nothing of each other
    return passages_as_markdown(named, notes, language, builder.max_characters, sure, unseen, whole_from)


def _with_collection(citation: Citation) -> Citation:
    """Return a citation whose title begins with its collection; where the title heads the section, it is said once."""
    section = " > ".join(step for step in citation.section.split(" > ") if step != citation.title)
    return replace(citation, title=f"{citation.collection}: {citation.title}", section=section)


def _filters(best: Answer, answers: Iterable[Answer]) -> list[AppliedFilter]:
    """Return the filters of the best answer, of whose fields those are unknown that no collection has."""
    of_each = [{unknown.field for one in answer.filters for unknown in one.unknown_fields} for answer in answers]
    nowhere = set.intersection(*of_each)
    found = []
    for one in best.filters:
        unknown = [each for each in one.unknown_fields if each.field in nowhere]
        found.append(replace(one, unknown_fields=unknown, fields=one.fields if unknown else ()))
    return found


def _corrections(answers: Iterable[Answer]) -> dict[str, str]:
    """Return what was searched for instead of mistyped words in the collections from which passages come."""
    return {typed: word for answer in answers for typed, word in answer.corrections.items()}


def _legs(answers: Iterable[Answer]) -> list[LegReport]:
    """Return what the legs did in all collections; a name is unknown that no collection knows."""
    joined: dict[str, LegReport] = {}
    for leg in (leg for answer in answers for leg in answer.legs):
        so_far = joined.get(leg.name, replace(leg, hits=0, used=False))
        joined[leg.name] = replace(
            so_far,
            hits=so_far.hits + leg.hits,
            used=so_far.used or leg.used,
            reason=so_far.reason if leg.used else leg.reason,
            unknown=[name for name in so_far.unknown if name in leg.unknown],
        )
    return list(joined.values())


def _added(timings: Iterable[Mapping[str, float]]) -> dict[str, float]:
    added: dict[str, float] = {}
    for one in timings:  # they were asked one after the other
        for stage, spent in one.items():
            added[stage] = round(added.get(stage, 0.0) + spent, 3)
    return added
