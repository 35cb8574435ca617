"""The gate's table: on the terminal, and as a comment on a pull request."""

from collections.abc import Sequence

from khub.eval.gate.baseline import Baseline
from khub.eval.gate.measure import JUDGE, Measured
from khub.eval.gate.thresholds import Thresholds
from khub.eval.gate.verdicts import Verdict
from khub.eval.run.markdown import table_text
from khub.eval.run.metrics import written
from khub.eval.run.tables import Table, by_group, interval

TABLE = "gate.md"
NOTE = (
    "Means over all questions with 95 % bootstrap intervals, then valid/total. `before` is the committed baseline on "
    "the same questions, p of a two-sided paired permutation test. A name such as `dense.zh.recall@10` is about the "
    "ranking by that leg alone, before the answer, for the questions in that language."
)


def gate_report(
    measured: Measured, thresholds: Thresholds, baseline: Baseline, found: Sequence[Verdict], asserted_by: str
) -> str:
    """Return the report in Markdown.

    :param found: the verdicts on the metrics.
    :param asserted_by: what asserted them.
    """
    problems = list(baseline.problems(measured.cases, thresholds))
    failing = [*(verdict.name for verdict in found if not verdict.passed), *(["baseline"] if problems else [])]
    parts = [
        f"## Gate: {'fails on ' + ', '.join(failing) if failing else 'passes'}",
        *(f"- {verdict.text}" for verdict in found if not verdict.passed),
        *(f"- baseline: {problem}" for problem in problems),
        table(found),
        NOTE,
        _about(measured, baseline, asserted_by),
        "<details><summary>By kind of question</summary>",
        table_text(by_group(measured.about, "kind")),
        table_text(by_group(measured.about, "language")),
        "</details>",
    ]
    return "\n\n".join(parts) + "\n"


def table(found: Sequence[Verdict]) -> str:
    """Return the verdicts as a Markdown table."""
    return table_text(Table(["metric", "result", "bound", "now", "before", "p"], [_row(one) for one in found], 2))


def _row(one: Verdict) -> list[str]:
    change = one.change
    return [
        one.name,
        "passes" if one.passed else "FAILS",
        str(one.bound),
        interval(one.bound.metric, one.figure),
        written(one.bound.metric, change["mean_a"]) if change else "–",
        f"{change['p']:.4f}" if change else "–",
    ]


def _about(measured: Measured, baseline: Baseline, asserted_by: str) -> str:
    questions = f"{len(measured.cases)} questions, {len(baseline.same(measured.cases))} of them as in the baseline"
    graph = f"Graph `{measured.graph}`, embedder {measured.about['model']}"
    return f"{graph}; {questions}. Asserted by {asserted_by}. {_judge(measured)}"


def _judge(measured: Measured) -> str:
    if measured.judge:
        return f"Judged by graph `{measured.judge}`."
    return f"No judge: set `{JUDGE}` to a graph such as `more/evaluate_judged` for the metrics that need one."
