"""DeepEval's metrics put to our judge. Only `deepeval_evaluator` imports this, once DeepEval is told to be quiet."""

import re
from typing import Any

from deepeval.metrics import (
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    FaithfulnessMetric,
)
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase
from pydantic import BaseModel

from components.evaluators import deepeval_chinese
from components.evaluators.judge import Asking
from components.evaluators.measurement import Case

CLASSES = {
    "faithfulness": FaithfulnessMetric,
    "answer_relevancy": AnswerRelevancyMetric,
    "contextual_precision": ContextualPrecisionMetric,
    "contextual_recall": ContextualRecallMetric,
}
CHINESE = {
    "faithfulness": deepeval_chinese.Faithfulness,
    "answer_relevancy": deepeval_chinese.AnswerRelevancy,
    "contextual_precision": deepeval_chinese.ContextualPrecision,
    "contextual_recall": deepeval_chinese.ContextualRecall,
}
_ATTACHMENT = re.compile(r"\[DEEPEVAL:(?=IMAGE:|PDF:)")


class JudgeModel(DeepEvalBaseLLM):
    """What DeepEval takes for a model."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        super().__init__(asking.judge.name)

    def load_model(self) -> Any:
        """Return what has the model loaded: the judge."""
        return self.asking.judge

    def get_model_name(self) -> str:
        """Return who judges."""
        return self.asking.judge.name

    def generate(self, prompt: str, schema: type[BaseModel]) -> Any:  # type: ignore[override]
        """Return the judge's reply in the shape that the metric wants."""
        return self.asking.ask(prompt, schema)

    async def a_generate(self, prompt: str, schema: type[BaseModel]) -> Any:  # type: ignore[override]
        """Do what `generate` does."""
        return self.generate(prompt, schema)


def measure(metric: str, asking: Asking, case: Case, answer: str, contexts: list[str]) -> float:
    """Return the value of a metric, as `judge_run.Library` says."""
    chinese = {"evaluation_template": CHINESE[metric]} if asking.language == "zh" else {}
    judged = CLASSES[metric](model=JudgeModel(asking), async_mode=False, include_reason=False, **chinese)
    score = judged.measure(
        LLMTestCase(
            input=_plain(case["question"]),
            actual_output=_plain(answer),
            expected_output=_plain(case["answer"] or ""),
            retrieval_context=[_plain(context) for context in contexts],
        ),
        _show_indicator=False,
    )
    problem = _problem(metric, judged, contexts)
    if problem:
        raise asking.refuse(problem)
    return float(score)


def _plain(text: str) -> str:
    """Take the meaning from marks for which DeepEval would open the file or the address that they name."""
    return _ATTACHMENT.sub("[", text)


def _problem(metric: str, judged: Any, contexts: list[str]) -> str | None:
    """Return what makes a score worthless: nothing judged counts as all right with DeepEval, one verdict as all."""
    if metric == "faithfulness" and not judged.truths:
        return "found no fact in the citations"
    things = {
        "faithfulness": lambda: judged.claims,
        "answer_relevancy": lambda: judged.statements,
        "contextual_precision": lambda: contexts,
        "contextual_recall": lambda: judged.verdicts,  # the judge itself divides the answer into sentences
    }[metric]()
    if not things:
        return "found nothing to judge"
    if len(things) != len(judged.verdicts):
        return f"gave {len(judged.verdicts)} verdicts on {len(things)} things"
    return None
