"""A question, its passages, and a model that says what a test wants, for tests of generated answers."""

from typing import Any

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from khub.components.answer import Answer, Citation
from khub.components.answers.generated_answer import GeneratedAnswer
from khub.components.value import adapter

QUESTION = "How long does the battery of the Ember robot last?"
BATTERY = "The battery of the Ember robot lasts eleven hours on one charge."
DOCK = "The dock charges the robot in 90 minutes."


def citation(number: int, text: str, **more: Any) -> Citation:
    about = {"doc_id": "d", "source": f"/docs/ember-{number}.pdf", "title": "Ember manual", "section": "Power"}
    known = {"id": number, "chunk_id": f"c{number}", **about, "page": number, "text": text, "score": 0.9, **more}
    return adapter(Citation).validate_python(known)


def found(*texts: str, **more: Any) -> Answer:
    """Return what `AnswerBuilder` gives for these passages."""
    citations = [citation(number, text) for number, text in enumerate(texts or (BATTERY, DOCK), start=1)]
    about = {"confidence": 0.9, "intent": "search", "collection": "robots", "legs": [], "degraded": []}
    return Answer(**{"answer": "2 passages found: …", "citations": citations, **about, **more})


def generator(url: str, **parameters: Any) -> OpenAIChatGenerator:
    key = Secret.from_env_var("KHUB_LLM_API_KEY")
    return OpenAIChatGenerator(
        **{"model": "scripted", "api_key": key, "max_retries": 0, "api_base_url": url, **parameters}
    )


def generated(url: str, **parameters: Any) -> GeneratedAnswer:
    return GeneratedAnswer(generator(url), **{"timeout_s": 10, **parameters})
