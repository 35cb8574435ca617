"""The verdict of a language model on claims, each beside its passages."""

import contextvars
import json
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from haystack import Document
from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage

from components.cancellation import stop_if_cancelled
from components.enrichers.bounded_generator import BoundedGenerator
from components.enrichers.model_failure import ModelFailure, UnusableReplyError
from components.enrichers.prompt import LANGUAGES, Prompt, fence, load_prompt, prompt_language
from components.enrichers.reply import reply_text
from components.text.language import detect_language
from components.verify.rules import NOT_FOUND, VERDICTS

PASSAGE_CHARACTERS = 2000
REASON_CHARACTERS = 300


@dataclass(frozen=True)
class ModelVerdict:
    """What a model says of a claim.

    :param verdict: one of `VERDICTS`.
    :param confidence: from 0 to 1, by its own account.
    :param reason: one line.
    :param passage: the passage that decides; None for `not_found`.
    :param evidence: the sentence of it that decides, as it stands there; "" for `not_found`.
    """

    verdict: str
    confidence: float
    reason: str
    passage: Document | None
    evidence: str


class ModelJudge:
    """Asks a model about several claims at a time; a call that fails or says something unusable is not repeated.

    :param generator: any Haystack chat generator.
    :param prompt_file: path of another prompt (see `components.enrichers.prompt.prompt_text`).
    :param concurrency: calls at a time.
    :param timeout_s: seconds that one call may take.
    """

    def __init__(self, generator: ChatGenerator, prompt_file: str | None, concurrency: int, timeout_s: float) -> None:
        self._generator = BoundedGenerator(generator, timeout_s, max_hung=concurrency)
        self._prompt_file = prompt_file
        self._concurrency = concurrency

    def warm_up(self) -> None:
        """Warm the generator up."""
        self._generator.warm_up()

    def close(self) -> None:
        """Release what the generator holds."""
        self._generator.close()

    def judge(self, claims: Sequence[str], passages: Sequence[Sequence[Document]]) -> list[ModelVerdict | str]:
        """Return the verdict on each claim, or the reason in one line why there is none.

        :param claims: one sentence each.
        :param passages: for each, the passages that may speak about it; none where there are none.
        :raises GraphError: when a prompt file cannot be used.
        :raises RunCancelledError: when the run is cancelled, before the next claim.
        """
        package = __package__ or ""
        prompts = {language: load_prompt("verify", language, self._prompt_file, package) for language in LANGUAGES}
        messages = [_message(prompts, claim, found) for claim, found in zip(claims, passages, strict=True)]
        stopped: Future[str] = Future()
        contexts = [contextvars.copy_context() for _ in claims]

        def ask(place: int) -> ModelVerdict | str:
            contexts[place].run(stop_if_cancelled)
            if not passages[place]:
                return ModelVerdict(NOT_FOUND, 1.0, "", None, "")
            try:
                self._generator.warm_up()
                reply = self._generator.ask([ChatMessage.from_user(messages[place])], math.inf, stopped)
                return read_reply(reply, passages[place])
            except Exception as error:  # each generator has errors of its own
                return ModelFailure.of(error).reason

        with ThreadPoolExecutor(self._concurrency, thread_name_prefix="verify") as pool:
            try:
                return list(pool.map(ask, range(len(claims))))
            finally:
                stopped.set_result("over")


def read_reply(reply: str, passages: Sequence[Document]) -> ModelVerdict:
    """Return the verdict that a reply holds.

    :param reply: what the model has written.
    :param passages: those that it was shown, in order.
    :raises UnusableReplyError: when it is not the JSON that was asked for, names a passage that it was not shown, or
        quotes what does not stand in it.
    """
    try:
        data = json.loads(reply_text(reply))
    except ValueError as error:
        raise error if isinstance(error, UnusableReplyError) else UnusableReplyError("the reply is no JSON") from None
    verdict = data.get("verdict") if isinstance(data, dict) else None
    if verdict not in VERDICTS:
        raise UnusableReplyError(f"the reply's verdict is none of {', '.join(VERDICTS)}")
    reason = " ".join(str(data.get("reason") or "").split())[:REASON_CHARACTERS]
    sure = data.get("confidence")
    confidence = round(min(max(float(sure), 0.0), 1.0), 3) if isinstance(sure, int | float) else 0.5
    if verdict == NOT_FOUND:
        return ModelVerdict(verdict, confidence, reason, None, "")
    number = data.get("passage")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(passages):
        raise UnusableReplyError("the reply names no passage that was shown")
    evidence = _as_it_stands(str(data.get("evidence") or ""), passages[number - 1].content or "")
    if not evidence:
        raise UnusableReplyError("the reply quotes what does not stand in the passage")
    return ModelVerdict(verdict, confidence, reason, passages[number - 1], evidence)


def _message(prompts: dict[str, Prompt], claim: str, passages: Sequence[Document]) -> str:
    texts = [_shown(passage) for passage in passages]
    prompt = prompts[prompt_language(detect_language(claim))]
    return prompt.filled(claim=claim, passages=texts, fence=fence(claim, *texts))


def _shown(passage: Document) -> str:
    heads = (str(passage.meta.get(key) or "") for key in ("title", "section", "table_header"))
    return "\n".join(part for part in (*heads, (passage.content or "")[:PASSAGE_CHARACTERS]) if part)


def _as_it_stands(quote: str, text: str) -> str:
    """Return the part of a text that a quote repeats, white space aside; "" if it does not stand there."""
    wanted = "".join(quote.split())
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found = "".join(text[place] for place in places).find(wanted) if wanted else -1
    return text[places[found] : places[found + len(wanted) - 1] + 1] if found >= 0 else ""
