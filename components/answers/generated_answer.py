"""An answer in words, by a language model, from the passages alone; the passages themselves where that fails."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from haystack import component, default_to_dict
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage
from haystack.dataclasses.streaming_chunk import StreamingCallbackT

from khub.components.answer import Answer, Degraded
from khub.components.answers.generated_markdown import doubt_before, failed_note, with_notes, without_answer
from khub.components.answers.generated_marks import checked_marks, marks_in
from khub.components.answers.generated_prompt import messages_for, passage_text
from khub.components.answers.generated_support import unsupported_sentences
from khub.components.answers.leg_reports import joined_failures
from khub.components.enrichers.reply import reply_text
from khub.components.errors import GraphError, ParameterError
from khub.components.guard import Guard
from khub.components.model_servers.model_call import model_call
from khub.components.model_servers.model_failure import UnusableReplyError
from khub.components.model_servers.prompt import prompt_language
from khub.components.model_servers.token_gate import TokenGate, from_any_thread
from khub.components.text.question_language import question_language

STAGE = "generate"
NO_ANSWER = "NO_ANSWER"
"""What the prompts ask the model to say where the passages do not answer."""
INCOMPLETE = {
    "length": "the model's limit of tokens was reached",
    "content_filter": "the model's server has filtered it",
}


@dataclass(frozen=True)
class _Asked:
    """A call that is to be made: what is asked, the passages that are shown, and what they do not hold of the question.

    :param doubt: begins the answer; "" where there is none.
    """

    messages: list[ChatMessage]
    passages: dict[int, str]
    query: str
    doubt: str


@component
class GeneratedAnswer:
    """Lets a language model put into words what the cited passages say, and checks what it wrote.

    It stands behind `AnswerBuilder`, whose answer stays where there is nothing to write: nothing found, small talk, or
    a model that fails, is too slow or says nothing, which `degraded` tells (stage `generate`). The model gets no tools,
    and passages only as data (see `messages_for`): whatever stands in them decides no more than the words of the text.

    The call sits in a `Guard` of its own, with its limits. Prompts: `answer.en.md`, `answer.zh.md`.
    """

    def __init__(
        self,
        generator: ChatGenerator,
        timeout_s: float = 60.0,
        min_overlap: float = 0.5,
        max_characters: int = 16000,
        prompt_file: str | None = None,
    ) -> None:
        """Keep the generator.

        :param generator: any Haystack chat generator, in YAML as `{type, init_parameters}`.
        :param timeout_s: seconds that the answer may take, above 0.
        :param min_overlap: a sentence of whose words a smaller share (0 to 1) stands in the passages that it cites is
            reported.
        :param max_characters: of all passages that the model is shown, above 0.
        :param prompt_file: path of another prompt (see `khub.components.model_servers.prompt.prompt_text`).
        :raises GraphError: when a number is out of range, or `generator` is no component.
        """
        if not 0 <= min_overlap <= 1:
            raise ParameterError(f"GeneratedAnswer has min_overlap={min_overlap}", "give a share from 0 to 1")
        if max_characters < 1:
            raise ParameterError(f"GeneratedAnswer has max_characters={max_characters}", "give 1 or more")
        self.generator = generator
        self.timeout_s = timeout_s
        self.min_overlap = min_overlap
        self.max_characters = max_characters
        self.prompt_file = prompt_file
        self._guard = Guard(generator, STAGE, timeout_s)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            generator=component_to_dict(self.generator, "generator"),
            timeout_s=self.timeout_s,
            min_overlap=self.min_overlap,
            max_characters=self.max_characters,
            prompt_file=self.prompt_file,
        )

    def warm_up(self) -> None:
        """Warm the generator up; one that cannot be (no key, say) is reported by `run`."""
        self._guard.warm_up()

    def close(self) -> None:
        """Release what the generator holds."""
        self._guard.close()

    @component.output_types(answer=Answer)
    def run(
        self,
        query: str,
        answer: Answer,
        streaming_callback: StreamingCallbackT | None = None,
        degraded: list[Any] | None = None,
    ) -> dict[str, Answer]:
        """Write the answer.

        :param query: the question.
        :param answer: of `AnswerBuilder`.
        :param streaming_callback: gets the answer's tokens while they come, in another thread; not those of a thought.
            What it got is not checked yet.
        :param degraded: of stages before it, to be told with the answer's own.
        :returns: `answer`: the same one with `answer` written anew, and maybe one more entry in `degraded`. Where the
            passages do not answer, says the model, it is `abstained` and has no citations.
        """
        answer = _with_failures(answer, degraded)
        asked = self._asked(query, answer)
        if isinstance(asked, Answer):
            return {"answer": asked}
        gate = self._gate(streaming_callback, asked.doubt)
        try:
            with model_call(asked.messages) as answered:
                reply = self._guard.run(**_inputs(asked, gate))
                _tell(reply, answered)
        finally:
            _close(gate)
        return {"answer": self._answer(answer, asked, reply)}

    @component.output_types(answer=Answer)
    async def run_async(
        self,
        query: str,
        answer: Answer,
        streaming_callback: StreamingCallbackT | None = None,
        degraded: list[Any] | None = None,
    ) -> dict[str, Answer]:
        """Do what `run` does, without blocking the event loop.

        :param query: the question.
        :param answer: of `AnswerBuilder`.
        :param streaming_callback: may be a coroutine function here.
        :param degraded: of stages before it.
        :returns: `answer`.
        """
        answer = _with_failures(answer, degraded)
        asked = self._asked(query, answer)
        if isinstance(asked, Answer):
            return {"answer": asked}
        gate = self._gate(from_any_thread(streaming_callback), asked.doubt)
        try:
            with model_call(asked.messages) as answered:
                reply = await self._guard.run_async(**_inputs(asked, gate))
                _tell(reply, answered)
        finally:
            _close(gate)
        return {"answer": self._answer(answer, asked, reply)}

    def _gate(self, callback: Any, doubt: str) -> TokenGate | None:
        streams = "streaming_callback" in self.generator.__haystack_input__._sockets_dict  # type: ignore[attr-defined]
        return TokenGate(callback, NO_ANSWER, doubt) if callback and streams else None

    def _asked(self, query: str, answer: Answer) -> _Asked | Answer:
        """Return what to ask, or the answer where nothing is to be asked."""
        citations = answer.citations
        if answer.abstained or not citations:
            return _not_generated(answer)
        try:
            messages, shown = messages_for(query, citations, self.max_characters, self.prompt_file)
        except GraphError as error:
            return _failed(answer, str(error), query)
        passages = {citation.id: passage_text(citation) for citation in citations if citation.id in shown}
        return _Asked(messages, passages, query, doubt_before(query, citations))

    def _answer(self, answer: Answer, asked: _Asked, outputs: dict[str, Any]) -> Answer:
        if outputs["degraded"]:
            return _failed(answer, outputs["degraded"][0]["reason"], asked.query)
        reply = outputs["replies"][0] if outputs["replies"] else ChatMessage.from_assistant("")
        try:
            text = reply_text(reply.text or "")
        except UnusableReplyError as error:
            return _failed(answer, str(error), asked.query)
        model = reply.meta.get("model") or getattr(self.generator, "model", None)
        answer = replace(answer, generated=True, model=model)
        language = prompt_language(question_language(asked.query))
        if text.startswith(NO_ANSWER):
            said = without_answer(answer.citations, language)
            return replace(answer, answer=said, abstained=True, citations=[], unsupported=[], removed_marks=[])
        text, removed = checked_marks(text, asked.passages, "\n".join([*asked.passages.values(), asked.query]))
        if not text:
            return _failed(answer, "the reply holds nothing that points to a passage", asked.query)
        unsupported = unsupported_sentences(text, asked.passages, asked.query, self.min_overlap)
        named = set(marks_in(text))
        cited = [citation for citation in answer.citations if citation.id in named]
        reason = INCOMPLETE.get(str(reply.meta.get("finish_reason")), "")
        return replace(
            answer,
            answer=asked.doubt + with_notes(text, cited, [one.text for one in unsupported], removed, reason, language),
            degraded=[*answer.degraded, *([Degraded(STAGE, reason)] if reason else [])],
            unsupported=unsupported,
            removed_marks=removed,
        )


def _with_failures(answer: Answer, degraded: list[Any] | None) -> Answer:
    return replace(answer, degraded=[*joined_failures([degraded]), *answer.degraded])


def _inputs(asked: _Asked, gate: TokenGate | None) -> dict[str, Any]:
    return {"messages": asked.messages, **({"streaming_callback": gate} if gate else {})}


def _tell(reply: dict[str, Any], answered: Callable[[ChatMessage], None]) -> None:
    for message in reply["replies"][:1]:
        answered(message)


def _close(gate: TokenGate | None) -> None:
    if gate:
        gate.close()


def _not_generated(answer: Answer) -> Answer:
    return replace(answer, generated=False, model=None, unsupported=[], removed_marks=[])


def _failed(answer: Answer, reason: str, query: str) -> Answer:
    """Return the passages, and that no answer was written."""
    note = failed_note(reason, prompt_language(question_language(query)))
    degraded = [*answer.degraded, Degraded(STAGE, reason)]
    return replace(_not_generated(answer), answer=f"{answer.answer}\n\n{note}", degraded=degraded)
