"""One answer out of those of several collections: one ranking, one numbering, one text."""

from collections.abc import Iterable, Mapping
from typing import Any

from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.answers.applied_filters import only_filters
from khub.components.answers.markdown import (
    WORDS,
    corrected_note,
    degraded_note,
    field_notes,
    filter_notes,
    no_answer,
    pageless_note,
    passages_as_markdown,
    unknown_note,
)
from khub.components.query.question_language import question_language
from khub.components.question import LEGS

COLLECTION = "collection"
"""The stage that stands in `degraded` for a collection which could not be asked."""


def merged(
    answers: Mapping[str, dict[str, Any]],
    failures: list[dict[str, Any]],
    query: str,
    top_k: int | None,
    builder: AnswerBuilder,
) -> dict[str, Any]:
    """Return one answer, which says of each citation from which collection it is.

    Scores of two collections say nothing of each other, but confidences do: each is the probability that the passages
    answer. A passage weighs the confidence of its collection, less by how far it stands behind the first one there.
    One that abstains, or is not sure where another one is, gives no passage.

    :param answers: of passages, by collection; one at least.
    :param failures: `{"stage", "reason"}` of collections that could not be asked.
    :param query: the question.
    :param top_k: passages to cite; None for as many as the longest answer has.
    :param builder: whose bounds count.
    :returns: as `ask` does; `collection`, `trace_id` and what else an answer has once are those of the best one, and
        `collections` has `name`, `abstained`, `confidence` and `trace_id` of each that was asked.
    """
    best_first = sorted(answers, key=lambda name: (answers[name]["abstained"], -answers[name]["confidence"], name))
    best = answers[best_first[0]]
    sure = best["confidence"] >= builder.sure_confidence
    telling = [n for n in best_first if not answers[n]["abstained"] and answers[n]["citations"]]
    if sure:
        telling = [name for name in telling if answers[name]["confidence"] >= builder.sure_confidence]
    wanted = top_k or max([builder.top_k, *(len(answers[name]["citations"]) for name in telling)])
    citations = _ranked([(name, answers[name]) for name in telling])[:wanted]
    degraded = [entry | {"collection": name} for name, one in answers.items() for entry in one["degraded"]] + failures
    frame = {
        **best,
        "collection": citations[0]["collection"] if citations else best_first[0],
        "citations": citations,
        "filters": _filters(best, answers),
        "corrections": _corrections([answers[name] for name in telling] or [best]),
        "legs": _legs([answers[name] for name in answers]),
        "degraded": degraded,
        "timings_ms": _added([one["timings_ms"] for one in answers.values()]),
        "collections": [_asked(name, answers[name]) for name in answers],
    }
    if citations or best["abstained"]:
        frame["answer"] = _text(frame, query, builder, best["answer"])
    return frame


def _ranked(answers: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the citations of all, best first; those of one collection stay in their order."""
    weighed = []
    for name, answer in answers:
        top = max((citation["score"] for citation in answer["citations"]), default=0.0)
        weight = answer["confidence"]
        for citation in answer["citations"]:
            weight = min(weight, answer["confidence"] * (citation["score"] / top if top > 0 else 1.0))
            weighed.append((weight, {**citation, "collection": name}))
    weighed.sort(key=lambda pair: -pair[0])
    return [{**citation, "id": number} for number, (_, citation) in enumerate(weighed, start=1)]


def _text(answer: dict[str, Any], query: str, builder: AnswerBuilder, text_of_best: str) -> str:
    language = question_language(query)
    language = language if language in WORDS else "en"
    citations, applied = answer["citations"], answer.get("filters", [])
    told = {(entry["stage"], entry["reason"]): entry for entry in answer["degraded"]}
    lost_leg = any(stage in (*LEGS, COLLECTION) for stage, _ in told)
    notes = [
        degraded_note(list(told.values()), language, lost_leg),
        corrected_note(answer["corrections"], language),
        unknown_note(_unknown(answer["legs"]), query, language),
        WORDS[language]["only"] if only_filters(query, applied) else "",
        *filter_notes(applied, language),
        *field_notes(applied, language),
        pageless_note(applied, citations, language),
    ]
    notes = [note for note in notes if note]
    if not citations:
        return no_answer([], notes, language, builder.max_characters)
    several = len({citation["collection"] for citation in citations}) > 1
    sure = not text_of_best.startswith(WORDS[language]["unsure"].partition("{")[0])
    named = [_with_collection(one) if several else one for one in citations]
    return passages_as_markdown(named, notes, language, builder.max_characters, sure)


def _with_collection(citation: dict[str, Any]) -> dict[str, Any]:
    """Return a citation whose title begins with its collection; where the title heads the section, it is said once."""
    title = citation["title"]
    section = " > ".join(step for step in citation["section"].split(" > ") if step != title)
    return {**citation, "title": f"{citation['collection']}: {title}", "section": section}


def _filters(best: dict[str, Any], answers: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the filters of the best answer, of whose fields those are unknown that no collection has."""
    of_each = [
        {unknown["field"] for one in answer.get("filters", []) for unknown in one.get("unknown_fields", [])}
        for answer in answers.values()
    ]
    nowhere = set.intersection(*of_each)
    told = []
    for one in best.get("filters", []):
        unknown = [each for each in one.get("unknown_fields", []) if each["field"] in nowhere]
        rest = {key: value for key, value in one.items() if key not in ("unknown_fields", "fields")}
        told.append({**rest, "unknown_fields": unknown, "fields": one["fields"]} if unknown else rest)
    return told


def _corrections(answers: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return what was searched for instead of mistyped words in the collections from which passages come."""
    return {typed: word for answer in answers for typed, word in (answer.get("corrections") or {}).items()}


def _unknown(legs: list[dict[str, Any]]) -> list[str]:
    return [name for leg in legs for name in leg.get("unknown", [])]


def _legs(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the legs did in all collections; a name is unknown that no collection knows."""
    joined: dict[str, dict[str, Any]] = {}
    for leg in (leg for answer in answers for leg in answer["legs"]):
        so_far = joined.setdefault(leg["name"], {**leg, "hits": 0, "used": False})
        so_far["hits"] += leg["hits"]
        so_far["used"] = so_far["used"] or leg["used"]
        if not leg["used"]:
            so_far["reason"] = leg["reason"]
        if "unknown" in so_far:
            so_far["unknown"] = [name for name in so_far["unknown"] if name in leg.get("unknown", [])]
    return list(joined.values())


def _added(timings: Iterable[Mapping[str, float]]) -> dict[str, float]:
    added: dict[str, float] = {}
    for one in timings:  # they were asked one after the other
        for stage, spent in one.items():
            added[stage] = round(added.get(stage, 0.0) + spent, 3)
    return added


def _asked(name: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, **{key: answer[key] for key in ("abstained", "confidence", "trace_id")}}
