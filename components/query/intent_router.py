"""Say what a message wants: a search, a comparison, or no more than small talk."""

import asyncio
import math
from concurrent.futures import Future
from functools import partial
from typing import Any

from haystack import component, default_to_dict, logging
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from khub.components.bounded_call import BoundedCalls
from khub.components.degraded_entry import DegradedEntry
from khub.components.errors import KhubError, ParameterError
from khub.components.model_servers.bounded_generator import BoundedGenerator
from khub.components.model_servers.model_failure import ModelFailure
from khub.components.model_servers.prompt import fence, load_prompt, prompt_language
from khub.components.query.chat_replies import chat_reply
from khub.components.query.comparison import sides_of
from khub.components.query.intent_reply import ChatReply, CompareReply, IntentReply, read_intent
from khub.components.query.query_analyzer import clean_query
from khub.components.query.small_talk import load_examples, small_talk, without_greeting
from khub.components.question import Intent, Question, check_legs, check_top_k
from khub.components.text.question_language import question_language

logger = logging.getLogger(__name__)

PACKAGE = "khub.components.query"
MAX_HUNG = 2
"""So many calls of the model may hang before it is not asked any more."""
LONGEST_ASKED = 1000
"""In characters: a longer message is a search, without a model being asked."""
OF_COMPARISON = 0.9
"""Confidence that what reads like a comparison is one."""


@component
class IntentRouter:
    """Tells small talk and comparisons from questions; what is in doubt is searched.

    Rules come first: examples of small talk and patterns of comparisons, Chinese and English, in `intents.yaml`. What
    they do not decide is a `search`, or, where there is a generator, what that says in zero-shot classification
    (prompts: `intent.en.md`, `intent.zh.md`); it then answers small talk, too. A generator that fails, or does not
    answer in time, changes nothing but the entry in `degraded`.
    """

    def __init__(
        self,
        generator: ChatGenerator | None = None,
        prompt_file: str | None = None,
        timeout_s: float = 5.0,
        min_confidence: float = 0.7,
    ) -> None:
        """Keep the parameters.

        :param generator: any Haystack chat generator, in YAML as `{type, init_parameters}`; None for rules alone.
        :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
        :param timeout_s: seconds that the generator has, above 0.
        :param min_confidence: what the generator takes for small talk or a comparison with less confidence (0 to 1) is
            searched.
        :raises GraphError: when a number is out of bounds.
        """
        if not timeout_s > 0:
            raise ParameterError(f"IntentRouter has timeout_s={timeout_s}", "give seconds above 0")
        if not 0 <= min_confidence <= 1:
            raise ParameterError(f"IntentRouter has min_confidence={min_confidence}", "give a number from 0 to 1")
        self.generator = generator
        self.prompt_file = prompt_file
        self.timeout_s = timeout_s
        self.min_confidence = min_confidence
        self._model = BoundedGenerator(generator, timeout_s, MAX_HUNG) if generator is not None else None

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            generator=component_to_dict(self.generator, "generator") if self.generator is not None else None,
            prompt_file=self.prompt_file,
            timeout_s=self.timeout_s,
            min_confidence=self.min_confidence,
        )

    def warm_up(self) -> None:
        """Load the examples, and warm the generator up; one that cannot be (no key, say) is told by `run`."""
        load_examples()
        try:
            if self._model is not None:
                self._model.warm_up()
        except Exception as error:  # each generator has errors of its own
            logger.debug("the router's generator did not warm up: {error}", error=error)

    def close(self) -> None:
        """Release what the generator holds."""
        if self._model is not None:
            self._model.close()

    @component.output_types(question=Question, chat=Question, degraded=list[dict[str, Any]])
    def run(
        self,
        query: str,
        collection: str | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        top_k: int | None = None,
    ) -> dict[str, Any]:
        """Route a message.

        :param query: what was typed.
        :param collection: name of the collection to search.
        :param filters: the caller's Haystack metadata filter.
        :param legs: names of the legs that the caller wants, None for all.
        :param top_k: so many passages are wanted, from 1 to 100; None for as many as the graph gives.
        :returns: `question`, its `text` without a greeting before it, its `intent` by `rules`, `llm` or `default`, and
            `sub_queries` of a comparison; or of small talk `chat`, the question with a `reply` in Chinese or else
            English. `degraded`: why the generator could not help.
        :raises QueryError: when a leg is unknown, or `top_k` out of bounds.
        :raises CollectionError: when there is no such collection.
        """
        check_legs(legs)
        check_top_k(top_k)
        routed = self._routed(query)
        degraded = routed.pop("degraded")
        known = {"filters": filters or None, "legs": legs, "top_k": top_k, **routed}
        if routed["intent"].name == "chat":  # nothing is searched
            return {"chat": Question(query, collection=collection, **known), "degraded": degraded}
        return {"question": Question.of(query, collection, **known), "degraded": degraded}

    def _routed(self, query: str) -> dict[str, Any]:
        text = clean_query(query)
        degraded: list[DegradedEntry] = []
        kind = small_talk(text)
        question = query if kind else without_greeting(query)
        if sides := [] if kind else sides_of(clean_query(question)):
            return _intent("compare", OF_COMPARISON, "rules", degraded, text=question, sub_queries=sides)
        said = self._ask(text, degraded)
        if isinstance(said, ChatReply) and (kind or said.confidence >= self.min_confidence):
            return _intent("chat", said.confidence, "llm", degraded, reply=said.reply)
        if kind:
            return _intent("chat", 1.0, "rules", degraded, reply=_fixed_reply(kind, text, degraded))
        if said is None or said.confidence < self.min_confidence:
            return _intent("search", 1.0, "default", degraded, text=question)
        sides = said.sides if isinstance(said, CompareReply) else []
        return _intent(said.intent, said.confidence, "llm", degraded, text=question, sub_queries=sides)

    @component.output_types(question=Question, chat=Question, degraded=list[dict[str, Any]])
    async def run_async(
        self,
        query: str,
        collection: str | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
        top_k: int | None = None,
    ) -> dict[str, Any]:
        """Do what `run` does; where there is a generator, in a thread of its own."""
        inputs: dict[str, Any] = {
            "query": query, "collection": collection, "filters": filters, "legs": legs, "top_k": top_k
        }  # fmt: skip
        if self._model is None:
            return self.run(**inputs)
        return await asyncio.wrap_future(BoundedCalls("route").start(partial(self.run, **inputs)))

    def _ask(self, text: str, degraded: list[DegradedEntry]) -> IntentReply | None:
        """Return what the generator says, or None, and the reason as an entry of `degraded`."""
        if self._model is None or len(text) > LONGEST_ASKED or not any(map(str.isalnum, text)):
            return None
        about = _fixed_reply("capabilities", text, degraded)
        try:
            prompt = load_prompt("intent", prompt_language(question_language(text)), self.prompt_file, PACKAGE)
            message = prompt.filled(question=text, about=about, fence=fence(text, about))
            self._model.warm_up()
            reply = self._model.ask([ChatMessage.from_user(message)], math.inf, Future())
            return read_intent(reply)
        except Exception as error:  # each generator has errors of its own
            reason = ModelFailure.of(error).reason
            logger.warning("the router's generator was of no help: {reason}", reason=reason)
            degraded.append({"stage": "route", "reason": reason})
            return None


def _fixed_reply(kind: str, text: str, degraded: list[DegradedEntry]) -> str:
    language = question_language(text)
    try:
        return chat_reply(kind, language)
    except KhubError as error:  # the catalog: what it holds cannot be listed
        degraded.append({"stage": "route", "reason": str(error)})
        return chat_reply("who", language)


def _intent(name: str, confidence: float, by: str, degraded: list[DegradedEntry], **known: Any) -> dict[str, Any]:
    return {"intent": Intent(name, confidence, by), "degraded": degraded, **known}
