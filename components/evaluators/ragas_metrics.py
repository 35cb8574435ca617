"""Ragas' metrics put to our judge. Only `ragas_evaluator` imports this."""

import asyncio
import json
from typing import Any, Literal, get_args

from pydantic import BaseModel, create_model
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import ContextPrecisionWithReference, ContextRecall, Faithfulness

from components.evaluators.judge import Asking
from components.evaluators.measurement import Case

YES_OR_NO = ("verdict", "attributed")
CHINESE = {
    "statement_generator_prompt": (
        "给出一个问题和对它的回答。请把回答中的每个句子拆成一条或多条独立完整的陈述，陈述中不用代词。"
        "示例：回答“灯塔 4.2 于三月发布，支持离线安装。”应拆成“灯塔 4.2 于三月发布。”和“灯塔 4.2 支持离线安装。”"
    ),
    "nli_statement_prompt": (
        "请根据给定的上下文逐条判断陈述是否可信：能够从上下文直接得出的，verdict 为 1；不能的，verdict 为 0。"
        "reason 用一句话说明理由，statement 照抄原陈述。每条陈述恰好对应一个结论，顺序一致。"
    ),
    "precision": (
        "给出问题、上下文和答案。请判断该上下文对得出这一答案是否有用：有用，verdict 为 1；无用，verdict 为 0。"
        "reason 用一句话说明理由。"
    ),
    "recall": (
        "给出问题、上下文和答案。请把答案拆成陈述，逐条判断能否归因于上下文："
        "能，attributed 为 1；不能，attributed 为 0。reason 用一句话说明理由。"
    ),
}


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
    prompts = {
        "faithfulness": ("statement_generator_prompt", "nli_statement_prompt"),
        "context_precision": ("prompt",),
        "context_recall": ("prompt",),
    }[metric]
    for name in prompts:
        instruction = CHINESE[name if name != "prompt" else metric.removeprefix("context_")]
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
