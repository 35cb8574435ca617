"""Ragas' metrics put to our judge. Only `ragas_evaluator` imports this."""

import asyncio
import json
from typing import Any, Literal, get_args

from pydantic import BaseModel, create_model
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import ContextPrecisionWithReference, ContextRecall, Faithfulness

from khub.components.model_servers.prompt import prompt_text
from khub.eval.evaluators.judge import Asking
from khub.eval.evaluators.judge_language import PACKAGE
from khub.eval.evaluators.measurement import Case

YES_OR_NO = ("verdict", "attributed")
CHINESE = {
    "faithfulness": {"statement_generator_prompt": "ragas_statements", "nli_statement_prompt": "ragas_verdicts"},
    "context_precision": {"prompt": "ragas_context_precision"},
    "context_recall": {"prompt": "ragas_context_recall"},
}
"""Metric -> its prompts in Ragas -> ours in `prompts/`."""


class JudgeLLM(InstructorBaseRagasLLM):
    """What Ragas takes for a language model."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.replies: list[BaseModel] = []

    def generate(self, prompt: str, response_model: type[BaseModel]) -> Any:  # type: ignore[override]
        """Return the judge's reply in the shape that the metric wants, verdicts as 0 or 1."""
        reply = self.asking.ask(prompt, _strict(response_model))
        self.replies.append(reply)
        return response_model.model_validate(reply.model_dump())

    async def agenerate(self, prompt: str, response_model: type[BaseModel]) -> Any:  # type: ignore[override]
        """Do what `generate` does; each value has a thread of its own."""
        return self.generate(prompt, response_model)


class ChinesePrompt:
    """Stands in for a prompt of Ragas, whose frame is English, too.

    :param instruction: what is to be done.
    :param shape: of the reply.
    """

    def __init__(self, instruction: str, shape: type[BaseModel]) -> None:
        self.instruction = instruction
        self.shape = shape

    def to_string(self, data: BaseModel) -> str:
        """Return the prompt for these data."""
        schema = json.dumps(self.shape.model_json_schema(), ensure_ascii=False)
        given = json.dumps(data.model_dump(), ensure_ascii=False, indent=1)
        return f"{self.instruction}\n\n只输出 JSON，符合以下 JSON Schema：\n{schema}\n\n输入：\n{given}\n\n输出："


def measure(metric: str, asking: Asking, case: Case, answer: str, contexts: list[str]) -> float:
    """Return the value of a metric, as `judge_run.Library` says."""
    llm = JudgeLLM(asking)
    if metric == "faithfulness":
        judged = Faithfulness(llm=llm)
        given = {"response": answer}
    else:
        judged = (ContextPrecisionWithReference if metric == "context_precision" else ContextRecall)(llm=llm)
        given = {"reference": case["answer"]}
    if asking.language == "zh":
        _speak_chinese(judged, metric)
    score = asyncio.run(judged.ascore(user_input=case["question"], retrieved_contexts=contexts, **given)).value
    statements = [len(reply.statements) for reply in llm.replies if hasattr(reply, "statements")]
    if not 0 <= score <= 1:  # not a number, where nothing was judged
        raise asking.refuse("found nothing to judge")
    if len(set(statements)) > 1:
        raise asking.refuse(f"gave {statements[1]} verdicts on {statements[0]} things")
    return float(score)


def _speak_chinese(judged: Any, metric: str) -> None:
    for name, own in CHINESE[metric].items():
        instruction = prompt_text(own, "zh", None, PACKAGE).strip()
        setattr(judged, name, ChinesePrompt(instruction, getattr(judged, name).output_model))


def _strict(shape: type[BaseModel]) -> type[BaseModel]:
    """Return the shape with verdicts that are 0 or 1; Ragas takes any number, and a score above 1 with it."""
    fields: dict[str, Any] = {}
    for name, field in shape.model_fields.items():
        if name in YES_OR_NO:
            fields[name] = (Literal[0, 1], ...)
        elif items := [a for a in get_args(field.annotation) if isinstance(a, type) and issubclass(a, BaseModel)]:
            fields[name] = (list[_strict(items[0])], ...)  # type: ignore[misc]
    return create_model(shape.__name__, __base__=shape, **fields) if fields else shape
