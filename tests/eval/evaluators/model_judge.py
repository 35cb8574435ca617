"""A judge for the chat server of the tests: it reads the prompts of DeepEval, of Ragas and of our own, and replies."""

import ast
import json
import re
from collections.abc import Callable
from typing import Any

WORDS = {
    "en": {"fact": "The hotel limit is 600 a night.", "reason": "The context says so in plain words."},
    "zh": {"fact": "酒店每晚上限为六百元。", "reason": "材料中有明确的说明。"},
}
THINGS = re.compile(r"(?:Claims|Statements|陈述|材料|Retrieval Context[^\n]*):?：?\n(\[.*?\])\n\nJSON", re.DOTALL)
FACTS = 2

Request = dict[str, Any]
Say = Callable[[Request], str]


def language_of(request: Request) -> str:
    return "zh" if "中文" in request["messages"][0]["content"] else "en"


def prompt_of(request: Request) -> str:
    return request["messages"][1]["content"]


def judge(label: str = "yes", write: dict[str, str] | None = None, count: int | None = None) -> Say:
    """A judge that finds two facts in any text and gives everything this label.

    :param write: language of the prompt -> language of the reply.
    :param count: so many verdicts, whatever was asked.
    """

    def say(request: Request) -> str:
        prompt = prompt_of(request)
        words = WORDS[(write or {}).get(language_of(request), language_of(request))]
        reply = ragas(prompt, words, label, count) if '"$defs"' in prompt or '"properties"' in prompt else None
        return json.dumps(reply or deepeval(prompt, words, label, count), ensure_ascii=False)

    return say


def deepeval(prompt: str, words: dict[str, str], label: str, count: int | None) -> dict[str, Any]:
    for key in ("claims", "truths", "statements"):
        if f'"{key}": [' in prompt:
            return {key: [words["fact"]] * FACTS}
    things = THINGS.search(prompt)
    found = len(ast.literal_eval(things[1])) if things else FACTS
    return {"verdicts": [{"verdict": label, "reason": words["reason"]}] * (found if count is None else count)}


def ragas(prompt: str, words: dict[str, str], label: str, count: int | None) -> dict[str, Any]:
    """Ragas puts the JSON schema of the reply into the prompt."""
    binary = int(label == "yes")
    verdict = {"statement": words["fact"], "reason": words["reason"]}
    if '"attributed"' in prompt:
        return {"classifications": [{**verdict, "attributed": binary}] * FACTS}
    if '"StatementFaithfulnessAnswer"' in prompt:
        return {"statements": [{**verdict, "verdict": binary}] * (FACTS if count is None else count)}
    if '"statements"' in prompt:
        return {"statements": [words["fact"]] * FACTS}
    return {"reason": words["reason"], "verdict": binary}
