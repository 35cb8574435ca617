"""The verdict of a language model on claims that rules could not judge."""

import contextvars
import json
import math
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from haystack import component, default_to_dict
from haystack.components.generators.chat.types import ChatGenerator
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage

from khub.components.answer import Degraded
from khub.components.cancellation import stop_if_cancelled
from khub.components.enrichers.reply import reply_text
from khub.components.errors import ParameterError
from khub.components.model_servers.bounded_generator import BoundedGenerator
from khub.components.model_servers.model_failure import ModelFailure, UnusableReplyError
from khub.components.model_servers.prompt import LANGUAGES, Prompt, fence, load_prompt, prompt_language
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.language import detect_language
from khub.components.verification import JudgedClaim, Verification
from khub.components.verify.claim_judge import summary
from khub.components.verify.verdict import NOT_FOUND, VERDICTS

STAGE = "verify"
PASSAGE_CHARACTERS = 2000
REASON_CHARACTERS = 300


@component
class ModelJudge:
    """Asks a language model about each claim that was not found, beside the passages closest to it.

    A call that fails or says something unusable is not repeated: the claim stays not found, and `degraded` says why.

    :param generator: a Haystack chat generator, in YAML as `{type, init_parameters}`.
    :param prompt_file: path of another prompt, `{language}` in it being replaced by `en` or `zh`; a relative one begins
        at `$KHUB_HOME`.
    :param concurrency: calls at a time, 1 or more.
    :param timeout_s: seconds for one call.
    :raises GraphError: when a number is out of bounds.
    """

    def __init__(
        self,
        generator: ChatGenerator,
        prompt_file: str | None = None,
        concurrency: int = 4,
        timeout_s: float = 60.0,
    ) -> None:
        if concurrency < 1:
            raise ParameterError(f"ModelJudge has concurrency={concurrency}", "give 1 or more")
        if not timeout_s > 0:
            raise ParameterError(f"ModelJudge has timeout_s={timeout_s}", "give seconds above 0")
        self.generator = generator
        self.prompt_file = prompt_file
        self.concurrency = concurrency
        self.timeout_s = timeout_s
        self._bounded = BoundedGenerator(generator, timeout_s, max_hung=concurrency)

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        generator = component_to_dict(self.generator, "generator")
        more = {"prompt_file": self.prompt_file, "concurrency": self.concurrency, "timeout_s": self.timeout_s}
        return default_to_dict(self, generator=generator, **more)

    def close(self) -> None:
        """Release what the generator holds."""
        self._bounded.close()

    @component.output_types(verification=Verification)
    def run(self, verification: Verification) -> dict[str, Verification]:
        """Judge what was not found.

        :param verification: of `ClaimJudge`.
        :returns: `verification`: the same one; where the model has judged, `by` is `llm`, `confidence` and `reason` are
            its own, and the citation is the passage that decides, with the sentence that it quotes as `evidence`.
        :raises GraphError: when a prompt file cannot be used.
        :raises RunCancelledError: when the run is cancelled, before the next claim.
        """
        package = __package__ or ""
        prompts = {language: load_prompt("verify", language, self.prompt_file, package) for language in LANGUAGES}
        claims = verification.claims
        asked = [n for n, entry in enumerate(claims) if entry.verdict == NOT_FOUND and entry.citations]
        contexts = [contextvars.copy_context() for _ in asked]
        stopped: Future[str] = Future()

        def ask(context: contextvars.Context, place: int) -> JudgedClaim | str:
            context.run(stop_if_cancelled)
            try:
                self._bounded.warm_up()
                message = ChatMessage.from_user(_message(prompts, claims[place]))
                return read_reply(self._bounded.ask([message], math.inf, stopped), claims[place])
            except Exception as error:  # each generator has errors of its own
                return ModelFailure.of(error).reason

        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="verify") as pool:
            try:
                said = dict(zip(asked, pool.map(ask, contexts, asked), strict=True))
            finally:
                stopped.set_result("over")
        failed = Counter(answer for answer in said.values() if isinstance(answer, str))
        failures = [
            Degraded(STAGE, f"{count} of {len(claims)} claims were judged by rules alone: {reason}")
            for reason, count in failed.items()
        ]
        judged = [answer if isinstance(answer := said.get(n), JudgedClaim) else entry for n, entry in enumerate(claims)]
        degraded = sorted([*verification.degraded, *failures], key=lambda entry: (entry.stage, entry.reason))
        changed = replace(verification, claims=judged, summary=summary(judged), degraded=degraded)
        return {"verification": changed}


def read_reply(reply: str, entry: JudgedClaim) -> JudgedClaim:
    """Return the entry of a claim with the verdict that a reply holds.

    :param reply: what the model has written.
    :param entry: of `ClaimJudge`; the model was shown its citations, in order.
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
    sure = data.get("confidence")
    judged = replace(
        entry,
        verdict=verdict,
        confidence=round(min(max(float(sure), 0.0), 1.0), 3) if isinstance(sure, int | float) else 0.5,
        reason=" ".join(str(data.get("reason") or "").split())[:REASON_CHARACTERS],
        by="llm",
    )
    if verdict == NOT_FOUND:
        return judged
    number, cited = data.get("passage"), entry.citations
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(cited):
        raise UnusableReplyError("the reply names no passage that was shown")
    evidence = _as_it_stands(str(data.get("evidence") or ""), cited[number - 1].text)
    if not evidence:
        raise UnusableReplyError("the reply quotes what does not stand in the passage")
    return replace(judged, citations=[replace(cited[number - 1], id=1, evidence=evidence)])


def _message(prompts: dict[str, Prompt], entry: JudgedClaim) -> str:
    texts = []
    for cited in entry.citations:
        names = [on_one_line(name) for name in (cited.title, cited.section) if name]
        texts.append("\n".join([*names, cited.text[:PASSAGE_CHARACTERS]]))
    prompt = prompts[prompt_language(detect_language(entry.claim))]
    return prompt.filled(claim=entry.claim, passages=texts, fence=fence(entry.claim, *texts))


def _as_it_stands(quote: str, text: str) -> str:
    """Return the part of a text that a quote repeats, white space aside; "" if it does not stand there."""
    wanted = "".join(quote.split())
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found = "".join(text[place] for place in places).find(wanted) if wanted else -1
    return text[places[found] : places[found + len(wanted) - 1] + 1] if found >= 0 else ""
