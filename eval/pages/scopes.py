"""The two ways in which a question is put to the documents."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from khub.eval.pages.metrics import METRICS, applies_to, measures_of
from khub.eval.pages.question_set import PageSet, Question

ALL, NAMED = "all", "named"
SCOPES = {ALL: "all documents", NAMED: "the named document"}

Scores = dict[str, list[float | None]]


def filters_of(questions: Sequence[Question], documents: Path) -> dict[str, dict[str, Any]]:
    """Return question id -> the Haystack filter that leaves its documents alone."""
    return {
        question.id: {
            "field": "meta.source",
            "operator": "in",
            "value": [str(documents / source) for source in dict.fromkeys(source for source, _ in question.evidence)],
        }
        for question in questions
    }


def scores_of(data: PageSet, places: Mapping[str, Sequence[Any] | None]) -> Scores:
    """Return metric -> the figure of each question that has evidence, in their order; None where it failed.

    :param places: question id -> `[source, page]` of its passages, best first; None where it failed.
    """
    asked = [question for question in data.questions if applies_to(question)]
    found = [None if (best := places[question.id]) is None else measures_of(question, best) for question in asked]
    return {metric: [None if one is None else one[metric] for one in found] for metric in METRICS}
