"""Means with their intervals, and how they are written."""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from khub.eval.mean_figure import MeanFigure
from khub.eval.retrieve.asking_figures import AskingFigures
from khub.eval.retrieve.ranked_answer import RankedAnswer
from khub.eval.statistics import bootstrap_interval

SEED = 7
NOTHING = "–"


def figure(values: Sequence[float | None], seed: int = SEED) -> MeanFigure:
    """Return `{mean, low, high, valid, total}` of the values that could be measured; a 95 % bootstrap interval.

    :param values: one per question, None where it could not be measured or does not apply.
    """
    known = [value for value in values if value is not None]
    valid, total = len(known), len(values)
    if not known:
        return {"mean": None, "low": None, "high": None, "valid": valid, "total": total}
    low, high = bootstrap_interval(known, seed=seed)
    return {"mean": statistics.fmean(known), "low": low, "high": high, "valid": valid, "total": total}


def operation(answers: Mapping[str, RankedAnswer]) -> AskingFigures:
    """Return what is said of the asking itself.

    :param answers: question id -> what `Ranking.ask` returns.
    :returns: `{total, failed: [{id, error}], degraded, abstained, deepest, median_ms}`; `deepest` is the length of the
        longest ranking, beyond which no relevant text can be found.
    """
    good = [answer for answer in answers.values() if "error" not in answer]
    return {
        "total": len(answers),
        "failed": [{"id": key, "error": answer["error"]} for key, answer in answers.items() if "error" in answer],
        "degraded": sum(bool(answer["degraded"]) for answer in good),
        "abstained": sum(answer["abstained"] for answer in good),
        "deepest": max((len(answer["ranked"]) for answer in good), default=0),
        "median_ms": round(1000 * statistics.median(answer["seconds"] for answer in good), 1) if good else None,
    }


def percent(value: MeanFigure) -> str:
    """Return `71.3 [69.0–73.5]` of a `figure`, in percent."""
    if value["mean"] is None:
        return NOTHING
    low, high = value["low"] or 0.0, value["high"] or 0.0
    return f"{100 * value['mean']:.1f} [{100 * low:.1f}–{100 * high:.1f}]"


def share(value: MeanFigure) -> str:
    """Return `1,188/1,190`: for how many of the questions a figure could be measured."""
    return f"{value['valid']:,}/{value['total']:,}"


def markdown_table(columns: Sequence[str], words: int, rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown.

    :param words: number of columns from the left that hold words; the others hold numbers.
    """
    line = ["---"] * words + ["---:"] * (len(columns) - words)
    cells = [[str(cell).replace("|", r"\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(columns), line, *cells])
