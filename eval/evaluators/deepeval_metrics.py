"""DeepEval's metrics put to our judge. Only `deepeval_evaluator` imports this, once DeepEval is told to be quiet."""

import json
import re
from functools import partial
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

from khub.components.model_servers.prompt import load_prompt
from khub.eval.evaluators.judge import Asking
from khub.eval.evaluators.judge_language import PACKAGE
from khub.eval.evaluators.measurement import Case

CLASSES = {
    "faithfulness": FaithfulnessMetric,
    "answer_relevancy": AnswerRelevancyMetric,
    "contextual_precision": ContextualPrecisionMetric,
    "contextual_recall": ContextualRecallMetric,
}
STEPS = {
    "faithfulness": ("claims", "truths", "verdicts"),
    "answer_relevancy": ("statements", "verdicts"),
    "contextual_precision": ("verdicts",),
    "contextual_recall": ("verdicts",),
}
"""Metric -> the prompts for which DeepEval asks, as `generate_claims` …; the Chinese ones are files in `prompts/`."""
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
    chinese = {"evaluation_template": _chinese(metric)} if asking.language == "zh" else {}
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


def _chinese(metric: str) -> Any:
    """Return what DeepEval takes for its own class of prompts, which are in English."""
    steps = {f"generate_{step}": staticmethod(partial(_prompt, f"{metric}_{step}")) for step in STEPS[metric]}
    return type("Chinese", (), steps)


def _prompt(name: str, **values: Any) -> str:
    count = next((len(value) for value in values.values() if isinstance(value, list)), 0)
    written = {
        key: json.dumps(value, ensure_ascii=False, indent=1) if isinstance(value, list) else value
        for key, value in values.items()
    }
    return load_prompt(name, "zh", None, PACKAGE).filled(**written, count=count)


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
