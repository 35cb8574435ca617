"""How `khub query --explain` shows an explanation."""

from collections.abc import Callable
from typing import Any

from khub.components.catalog.parts import shown_name
from khub.components.text.place_words import in_the_file
from khub.server.questions.explained_answer import ExplainedAnswer, ExplainedStage
from khub.server.questions.explained_question import ExplainedExpansion, ExplainedIntent
from khub.server.questions.explained_result import ExplainedResult, HeldTerm, OtherWords, StagePlace
from khub.server.terminal import write_line, write_table

MOST_TERMS = 8


def show_explanation(explanation: ExplainedAnswer) -> None:
    """Write what became of the question, what each stage did, and where each result stood.

    :param explanation: from `khub.server.questions.explain`.
    """
    write_line()
    _show_question(explanation)
    if explanation["confidence"] is not None:
        write_line(f"confidence: {explanation['confidence']:.2f}")
    for leg in explanation["legs"]:
        coverage = f", knows {leg['coverage']:.0%} of the terms" if "coverage" in leg else ""
        used = f"{leg['hits']} hits{coverage}" if leg["used"] else "not used"
        write_line(f"leg {leg['name']}: {used}{': ' + leg['reason'] if leg['reason'] else ''}")
    write_line()
    rows = [(s["name"], s["method"], f"{s['ms']:.1f}", s["documents"], _reasons(s)) for s in explanation["stages"]]
    write_table(("stage", "method", "ms", "documents", "degraded"), rows, right=("ms", "documents"))
    write_line()
    results = explanation["results"]
    stages = list(dict.fromkeys(name for result in results for name in result["stages"]))
    write_table(
        ("result", *stages, "place"),
        [
            (_mark(n, r), *(_place(r["stages"].get(name)) for name in stages), _where(r))
            for n, r in enumerate(results, 1)
        ],
    )
    write_line()
    for number, result in enumerate(results, start=1):
        held = ", ".join(map(_term, result["terms"][:MOST_TERMS])) or "none"
        others = ", ".join(map(_other_word, result["other_words"][:MOST_TERMS]))
        others = f"; in other words: {others}" if others else ""
        missing = f"; not in it: {', '.join(result['missing'])}" if result["missing"] else ""
        write_line(f"{_mark(number, result)} terms: {held}{others}{missing}")


def _show_question(explanation: ExplainedAnswer) -> None:
    question = explanation["question"]
    weights = question["weights"]
    terms = (f"{term} {weights[term]:.2f}" if term in weights else term for term in dict.fromkeys(question["terms"]))
    write_line(f"terms and their rarity (idf): {', '.join(terms) or 'none'}")
    for name, value in question.items():
        if name not in ("terms", "weights", "query"):
            write_line(f"{name}: {SHOWN.get(name, _told)(value)}")
    for applied in explanation["filters"]["applied"]:
        words = f", by the words {applied['words']!r}" if applied.get("words") else ""
        write_line(f"filter: {applied.get('text')} (from the {applied.get('from')}{words})")
    if explanation["filters"]["given"] and not explanation["filters"]["applied"]:
        write_line(f"filter: {explanation['filters']['given']}")


def _intent(intent: ExplainedIntent) -> str:
    by = f", by {intent['by']}" if intent.get("by") else ""
    return f"{intent['name']} (confidence {intent['confidence']:.2f}{by})"


def _expansions(expansions: list[ExplainedExpansion]) -> str:
    return ", ".join(map(_expansion, expansions))


def _expansion(expansion: ExplainedExpansion) -> str:
    words = " ".join(expansion["terms"])
    quoted = f'"{words}"' if expansion.get("phrase") else words
    return f"{quoted} {expansion['weight']:.2f}" + (f" for {expansion['of']}" if expansion.get("of") else "")


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(part)}" for key, part in value.items())
    return "; ".join(map(_told, value)) if isinstance(value, list) else str(value)


SHOWN: dict[str, Callable[[Any], str]] = {"expansions": _expansions, "intent": _intent}


def _reasons(stage: ExplainedStage) -> str:
    return "; ".join(f"{entry['stage']}: {entry['reason']}" for entry in stage["degraded"])


def _mark(number: int, result: ExplainedResult) -> str:
    return f"[{number}]" if result["cited"] else f"({number})"


def _place(place: StagePlace | None) -> str:
    if place is None:
        return "-"
    return f"{place['rank']}" if place["score"] is None else f"{place['rank']} ({place['score']:.3g})"


def _where(result: ExplainedResult) -> str:
    name = shown_name(str(result["source"] or ""))
    if place := in_the_file(result["page"], result["time_mark"]):
        return name + place
    return f"{name}, {result['section']}" if result["section"] else name


def _term(weight: HeldTerm) -> str:
    times = f" x{weight['count']}" if weight["count"] > 1 else ""
    return f"{weight['term']}{times}" + (f" {weight['bm25']:.2f}" if weight["bm25"] is not None else "")


def _other_word(found: OtherWords) -> str:
    times = f" x{found['count']}" if found["count"] > 1 else ""
    return f"{found['words']}{times}" + (f" for {found['of']}" if found["of"] else "")
