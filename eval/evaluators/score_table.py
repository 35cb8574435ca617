"""Put the columns of several evaluators side by side."""

from typing import Any

from haystack import component
from haystack.core.component.types import Variadic

from khub.components.errors import EvaluationError, GraphError
from khub.eval.evaluators.measurement import Scores


@component
class ScoreTable:
    """Merges what any number of evaluators found into one table; the order in which they end does not change it."""

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]])
    def run(
        self,
        scores: Variadic[dict[str, list[float | None]]] = (),
        failed: Variadic[list[dict[str, str]]] = (),
    ) -> dict[str, Any]:
        """Merge the columns.

        :param scores: each evaluator's metric -> one value per case.
        :param failed: each evaluator's `{"metric", "case_id", "reason"}`.
        :returns: `scores` and `failed` of all, ordered by metric.
        :raises GraphError: when two evaluators give the same metric.
        :raises EvaluationError: when columns are not of the same length.
        """
        table: Scores = {}
        # where no evaluator reports, the pipeline puts the default into the list
        for columns in filter(None, scores):
            for metric, values in columns.items():
                if metric in table:
                    raise GraphError(f"two evaluators give the metric {metric!r}", "take one of them out of the graph")
                table[metric] = values
        lengths = {metric: len(values) for metric, values in sorted(table.items())}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{metric} {length}" for metric, length in lengths.items())
            raise EvaluationError(f"columns are of different length: {shown}", "give every evaluator the same cases")
        entries = [entry for part in failed for entry in part]
        return {"scores": dict(sorted(table.items())), "failed": sorted(entries, key=lambda entry: entry["metric"])}
