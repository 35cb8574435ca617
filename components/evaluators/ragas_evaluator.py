"""Measure answers by Ragas: a second opinion beside DeepEval's, by the same judge or another one."""

import os
from typing import Any

from haystack import component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from components.errors import MissingLibraryError
from components.evaluators.judge_run import Library, check_parameters, run_judge

METRICS = ("faithfulness", "context_precision", "context_recall")


@component
class RagasEvaluator:
    """Faithfulness, context precision and context recall, as Ragas defines them.

    - `faithfulness`: share of the answer's statements that follow from the citations (DeepEval asks less: that they
      do not contradict them);
    - `context_precision`: average precision of the citations, each judged as useful or not for the golden answer;
    - `context_recall`: share of the golden answer's statements that the citations give.

    The judge is asked in the language of the question by prompts of our own where that is Chinese, and the same
    replies are refused as by `DeepEvalEvaluator`. Ragas' own translation of its prompts is not used: it asks the
    judge for it, and nothing tells when it fails. See S. Es et al., *RAGAS: Automated Evaluation of Retrieval
    Augmented Generation* (2023).

    :param chat_generator: the judge, any Haystack chat generator, in YAML as `{type, init_parameters}`.
    :param metrics: which of the three; None for all.
    :param depth: so many citations, from the first, are given to the judge.
    :param concurrency: values that are measured at the same time.
    :raises GraphError: when a metric is unknown, or a number below 1.
    """

    def __init__(
        self, chat_generator: Component, metrics: list[str] | None = None, depth: int = 5, concurrency: int = 4
    ) -> None:
        self.chat_generator = chat_generator
        self.metrics = metrics
        self.depth = depth
        self.concurrency = concurrency
        check_parameters("RagasEvaluator", metrics, METRICS, depth, concurrency)

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            chat_generator=component_to_dict(self.chat_generator, "chat_generator"),
            metrics=self.metrics,
            depth=self.depth,
            concurrency=self.concurrency,
        )

    @component.output_types(scores=dict[str, list[float | None]], failed=list[dict[str, str]], judge=dict[str, Any])
    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
        """Judge every answer.

        :param cases: questions; see `eval.cases`.
        :param answers: in the same order; see `DeepEvalEvaluator.run`.
        :returns: `scores`: `ragas_<metric>` -> one value from 0 to 1 per case; `failed` and `judge`, as
            `DeepEvalEvaluator.run` gives them.
        :raises EvaluationError: when cases and answers do not belong together.
        """
        return run_judge(
            cases,
            answers,
            package="ragas",
            metrics=METRICS if self.metrics is None else self.metrics,
            load=load_ragas,
            chat_generator=self.chat_generator,
            depth=self.depth,
            concurrency=self.concurrency,
        )


def load_ragas() -> Library:
    """Import Ragas, told not to count its users.

    :raises MissingLibraryError: when it is not installed, or not with what it needs.
    """
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    try:
        from components.evaluators.ragas_metrics import measure
    except ImportError as error:
        raise MissingLibraryError(
            f"RagasEvaluator needs ragas, which cannot be imported ({error})", "pip install 'knowledge-hub[ragas]'"
        ) from error
    return measure
