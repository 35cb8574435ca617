"""A question that follows others, written anew by a language model so that it stands by itself."""

import logging
import math
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from haystack import component, default_to_dict
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from khub.components.enrichers.reply import reply_text
from khub.components.model_servers.bounded_generator import BoundedGenerator
from khub.components.model_servers.model_failure import ModelFailure, UnusableReplyError
from khub.components.model_servers.prompt import fence, load_prompt, prompt_language
from khub.components.text.question_language import question_language

STAGE = "standalone"
PACKAGE = "khub.components.query"
MAX_HUNG = 2
KEPT_QUESTIONS = 5
KEPT_CHARACTERS = 2000
LONGEST_REPLY = 1000
logger = logging.getLogger(__name__)


@component
class StandaloneQuestion:
    """Puts into a question what it leaves to those before it: "and in 2021?" becomes "What was the revenue in 2021?".

    The model sees the last questions of the conversation, no answers. Where it fails, the question is searched together
    with the one before. Prompts: `standalone.en.md`, `standalone.zh.md`.
    """

    def __init__(self, generator: ChatGenerator, timeout_s: float = 10.0, prompt_file: str | None = None) -> None:
        """Keep the generator.

        :param generator: any Haystack chat generator, in YAML as `{type, init_parameters}`.
        :param timeout_s: seconds that it has, above 0.
        :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
        """
        self.generator = generator
        self.timeout_s = timeout_s
        self.prompt_file = prompt_file
        self._model = BoundedGenerator(generator, timeout_s, MAX_HUNG)

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the generator with it."""
        generator = component_to_dict(self.generator, "generator")
        return default_to_dict(self, generator=generator, timeout_s=self.timeout_s, prompt_file=self.prompt_file)

    def close(self) -> None:
        """Release what the generator holds."""
        self._model.close()

    @component.output_types(query=str, degraded=list[dict[str, Any]])
    def run(self, query: str, history: list[str] | None = None) -> dict[str, Any]:
        """Rewrite a question.

        :param query: as it was asked.
        :param history: the questions before it, the oldest first; without any the question stays as it is.
        :returns: `query`, and `degraded`: why the model could not help.
        """
        if not history:
            return {"query": query, "degraded": []}
        try:
            return {"query": self._rewritten(query, history), "degraded": []}
        except Exception as error:  # each generator has errors of its own
            reason = ModelFailure.of(error).reason
            logger.warning("the question stands with the one before it: %s", reason)
            return {"query": f"{history[-1]} {query}", "degraded": [{"stage": STAGE, "reason": reason}]}

    def _rewritten(self, query: str, history: Sequence[str]) -> str:
        before = "\n".join(" ".join(asked[:KEPT_CHARACTERS].split()) for asked in history[-KEPT_QUESTIONS:])
        prompt = load_prompt(STAGE, prompt_language(question_language(query)), self.prompt_file, PACKAGE)
        message = prompt.filled(question=query, history=before, fence=fence(query, before))
        self._model.warm_up()
        text = reply_text(self._model.ask([ChatMessage.from_user(message)], math.inf, Future()))
        if not text or len(text) > LONGEST_REPLY:
            raise UnusableReplyError(f"the reply is no question ({len(text)} characters)")
        return " ".join(text.split())
