"""Measure answers by DeepEval: a language model judges them, sentence by sentence."""

import os
from typing import Any

from haystack import component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from components.errors import MissingLibraryError
from components.evaluators.judge_run import Library, check_parameters, run_judge
from components.home import hub_home

METRICS = ("faithfulness", "answer_relevancy", "contextual_precision", "contextual_recall")
SWITCHES = {
    "DEEPEVAL_DISABLE_DOTENV": "1",  # it would put the .env of the working directory into our environment
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "CONFIDENT_TRACING_ENABLED": "NO",
}


@component
class DeepEvalEvaluator:
    """Faithfulness, answer relevancy, contextual precision and contextual recall, as DeepEval defines them.

    - `faithfulness`: share of the answer's claims that the citations do not contradict;
    - `answer_relevancy`: share of the answer's statements that have to do with the question;
    - `contextual_precision`: whether the citations that help stand above those that do not;
    - `contextual_recall`: share of the golden answer's sentences that the citations give.

    The judge is asked in the language of the question, and a reply in another one is not counted. Nor is one whose
    verdicts are not as many as what they are about, nor an answer in which it finds nothing to judge: DeepEval by
    itself gives such an answer the full score. Replies are kept in the hub's folder under who gave them.
    See J. Ip and K. Vongthongsri, *DeepEval*, and S. Es et al., *RAGAS* (2023), from which the first two derive.

    :param chat_generator: the judge, any Haystack chat generator, in YAML as `{type, init_parameters}`;
        `OpenAIChatGenerator` for any server that speaks OpenAI's chat API.
    :param metrics: which of the four; None for all.
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
        check_parameters("DeepEvalEvaluator", metrics, METRICS, depth, concurrency)

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

        :param cases: questions with `id`, `language`, `answerable` and `answer`; see `eval.cases`.
        :param answers: in the same order, each with `case_id` and either `error`, or `answer`, `abstained` and
            `citations`.
        :returns: `scores`: `deepeval_<metric>` -> one value from 0 to 1 per case. The contextual metrics apply to cases
            with a known answer, and are 0 where the graph abstained; the others apply to answers, and are None where
            it abstained. `failed`: `{"metric", "case_id", "reason"}` for each value that could not be measured, be it
            that the library is missing or the judge is down. `judge`: `name` (model and place), `library` (with its
            version) and `metrics` (the columns).
        :raises EvaluationError: when cases and answers do not belong together.
        """
        return run_judge(
            cases,
            answers,
            package="deepeval",
            metrics=METRICS if self.metrics is None else self.metrics,
            load=load_deepeval,
            chat_generator=self.chat_generator,
            depth=self.depth,
            concurrency=self.concurrency,
        )


def load_deepeval() -> Library:
    """Import DeepEval, quiet and with its folders in the hub's.

    :raises MissingLibraryError: when it is not installed.
    """
    for name, value in {**SWITCHES, "DEEPEVAL_CACHE_FOLDER": str(hub_home() / "judge" / "deepeval")}.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("DEEPEVAL_HOME", os.environ["DEEPEVAL_CACHE_FOLDER"])
    try:
        from components.evaluators.deepeval_metrics import measure
    except ImportError as error:
        raise MissingLibraryError(
            f"DeepEvalEvaluator needs deepeval, which cannot be imported ({error})",
            "pip install 'knowledge-hub[eval]'",
        ) from error
    return measure
