"""The questions that went worst, with what was found instead."""

from collections.abc import Sequence

from khub.eval.cases import Case
from khub.eval.run.kept_answer import KeptAnswer, KeptCitation
from khub.eval.run.scoring import Scores
from khub.eval.run.worst_question import FoundPlace, WorstQuestion, WorstQuestions

SHOWN = 10
CITATIONS = 3
SNIPPET = 160
FAILED, NOT_FOUND, ABSTAINED, ANSWERED, WRONG_PAGE, RANKED_LOW = (
    "failed",
    "not found",
    "abstained, though there is an answer",
    "answered, though nothing answers it",
    "cited with a wrong page",
    "ranked low",
)
PROBLEMS = (FAILED, NOT_FOUND, ABSTAINED, ANSWERED, WRONG_PAGE, RANKED_LOW)


def worst_questions(cases: Sequence[Case], answers: Sequence[KeptAnswer], scores: Scores) -> WorstQuestions:
    """Sort the questions that did not go as they should by what went wrong.

    :returns: `problems`: problem -> number of questions; `worst`: 10 of each problem at most, lowest nDCG first, then,
        for those that were answered against the facts, the surest, as `{"case_id", "question", "language", "kind",
        "problem", "score", "answer", "relevant", "confidence", "error", "trace_id", "found"}`; `score` is their
        nDCG@10, `found` the first citations as `{"source", "page", "section", "text"}`.
    """
    by_problem: dict[str, list[WorstQuestion]] = {problem: [] for problem in PROBLEMS}
    for index, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        values = {name: column[index] for name, column in scores.values.items()}
        if problem := _problem(case, answer, values):
            by_problem[problem].append(_row(case, answer, problem, values.get("ndcg@10")))
    for rows in by_problem.values():
        rows.sort(key=lambda row: (row["score"] or 0.0, -(row["confidence"] or 0.0)))
    return {
        "problems": {problem: len(rows) for problem, rows in by_problem.items() if rows},
        "worst": [row for rows in by_problem.values() for row in rows[:SHOWN]],
    }


def _problem(case: Case, answer: KeptAnswer, values: dict[str, float | None]) -> str:
    if answer.get("error"):
        return FAILED
    if not case.answerable:
        return "" if answer["abstained"] else ANSWERED
    if answer["abstained"]:
        return ABSTAINED
    if values.get("hit@10") == 0:
        return NOT_FOUND
    page, ndcg = values.get("page_accuracy"), values.get("ndcg@10")
    if page is not None and page < 1:
        return WRONG_PAGE
    return RANKED_LOW if ndcg is not None and ndcg < 1 else ""


def _row(case: Case, answer: KeptAnswer, problem: str, score: float | None) -> WorstQuestion:
    return {
        "case_id": case.id,
        "question": case.question,
        "language": case.language,
        "kind": case.kind,
        "problem": problem,
        "score": score,
        "answer": case.answer,
        "relevant": [place.as_dict() for place in case.relevant],
        "confidence": answer.get("confidence"),
        "error": answer.get("error"),
        "trace_id": answer.get("trace_id"),
        "found": [_found(citation) for citation in answer.get("citations", [])[:CITATIONS]],
    }


def _found(citation: KeptCitation) -> FoundPlace:
    text = " ".join(citation["text"].split())
    return {
        "source": citation["relative_source"],
        "page": citation["page"],
        "section": citation["section"],
        "text": text if len(text) <= SNIPPET else text[:SNIPPET].rstrip() + " …",
    }
