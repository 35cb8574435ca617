"""What a run came to: its answer, what became of its question."""

from collections.abc import Mapping
from typing import Any, cast

from khub.server.traces.file_outcome import FileOutcome

Record = Mapping[str, Any]


def answer_of(record: Record) -> dict[str, Any] | None:
    """Return the last answer with citations that a stage gave; None where none did, or the record keeps none."""
    for output in _outputs_last_first(record):
        answer = output.get("answer")
        if isinstance(answer, dict) and "citations" in answer:
            return answer
    return None


def searched_as(record: Record) -> str | None:
    """Return what was searched in place of the question as it was asked; None where that was the question itself."""
    asked = record.get("query")
    for output in _outputs_last_first(record):
        question = output.get("question")
        for text in (question.get("searched") if isinstance(question, dict) else None, output.get("query")):
            if isinstance(text, str) and text != asked:
                return text
    return None


def file_results(record: Record) -> dict[str, FileOutcome]:
    """Return what became of each file of an ingest: source -> `result` and what is told of it.

    `result` is `written` (with `doc_id`, `pages`, `chunks`), `unchanged`, `failed` (with `stage`, `error`, `remedy`),
    or `unknown`: a record keeps the first 20 of each list.
    """
    results: dict[str, FileOutcome] = {str(s): {"result": "unknown"} for s in record.get("sources") or []}
    for output in reversed(_outputs_last_first(record)):
        for source in _kept(output.get("unchanged")):
            results[str(source)] = {"result": "unchanged"}
        report = output.get("report")
        reports = [output, report] if isinstance(report, dict) else [output]
        for about in reports:
            for name in ("written", "failed"):
                for entry in _kept(about.get(name)):
                    if isinstance(entry, dict) and "source" in entry:
                        results[str(entry["source"])] = cast(FileOutcome, {"result": name, **entry})
    return results


def _outputs_last_first(record: Record) -> list[dict[str, Any]]:
    stages = sorted(record.get("stages") or [], key=lambda s: float(s.get("start_ms") or 0) + float(s.get("ms") or 0))
    outputs = [stage.get("output") for stage in reversed(stages)]
    return [output for output in outputs if isinstance(output, dict)]


def _kept(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.get("items")
    return value if isinstance(value, list) else []
