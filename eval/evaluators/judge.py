"""A language model that judges: asked for JSON of a given shape, in a given language, and not believed unseen."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, TypeVar

from haystack.dataclasses import ChatMessage
from pydantic import BaseModel, ValidationError

from khub.components.errors import EvaluationError
from khub.components.failure_reason import failure_reason
from khub.components.model_servers.bounded_generator import generator_identity
from khub.components.text.turn_marks import without_turns
from khub.eval.evaluators.judge_language import LABELS, REPAIR, SYSTEM, wrong_language
from khub.eval.evaluators.judge_replies import JudgeReplies

ATTEMPTS = 2
REASON_CHARACTERS = 300
OWN_FAULT = (400, 413, 422)
"""HTTP statuses that are due to one request (most often: too long), and say nothing of the next one."""

Reply = TypeVar("Reply", bound=BaseModel)


class JudgeError(EvaluationError):
    """A judge whose reply cannot be used."""

    code = "judge_failed"


class JudgeUnreachableError(JudgeError):
    """A judge that gives no reply: it is down, too slow, too busy, or refuses the key."""

    code = "judge_unreachable"


class Judge:
    """A chat generator with a memory.

    :param generator: any Haystack chat generator, warm.
    :param replies: where its replies are kept.
    """

    def __init__(self, generator: Any, replies: JudgeReplies) -> None:
        self.generator = generator
        self.replies = replies
        self.name = judge_name(generator)
        self._identity = generator_identity(generator)

    def ask(self, prompt: str, language: str, shape: type[Reply]) -> tuple[Reply, str]:
        """Ask once; where the reply cannot be used, say why and ask once more.

        Only replies that can be used are kept, so that a bad one is asked for again at the next run.

        :param prompt: what is to be judged, and how to reply.
        :param language: `zh` or `en`: that of the prompt, and of the reply.
        :param shape: what the JSON must look like.
        :returns: the reply, and the key under which it is kept.
        :raises JudgeError: when the replies are no JSON of that shape, or in another language.
        :raises JudgeUnreachableError: when there is no reply.
        """
        prompt = without_turns(prompt)
        key = self._key(prompt, language, shape)
        kept = self.replies.get(key)
        if kept is not None:
            return shape.model_validate_json(kept), key
        messages = [ChatMessage.from_system(SYSTEM[language]), ChatMessage.from_user(prompt)]
        problem = ""
        for _ in range(ATTEMPTS):
            text = self._reply(messages)
            try:
                reply = _read(text, language, shape)
            except JudgeError as error:
                problem = error.message
                repair = REPAIR[language].format(problem=problem)
                messages += [ChatMessage.from_assistant(text), ChatMessage.from_user(repair)]
                continue
            self.replies.put(key, self.name, reply.model_dump_json())
            return reply, key
        raise JudgeError(f"{self.name} was asked {ATTEMPTS} times: {problem}", "use a better judge")

    def _key(self, prompt: str, language: str, shape: type[BaseModel]) -> str:
        asked = [self._identity, SYSTEM[language], prompt, shape.model_json_schema()]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode("utf-8")).hexdigest()

    def _reply(self, messages: list[ChatMessage]) -> str:
        try:
            return self.generator.run(messages=messages)["replies"][0].text or ""
        except Exception as error:  # each generator has errors of its own
            own_fault = getattr(error, "status_code", None) in OWN_FAULT
            reason = failure_reason(error)[:REASON_CHARACTERS]
            kind = JudgeError if own_fault else JudgeUnreachableError
            raise kind(f"{self.name} gave no reply ({reason})", "see that it runs and takes the key") from error


@dataclass
class Asking:
    """The questions put to a judge for one metric of one case.

    :param language: `zh` or `en`.
    """

    judge: Judge
    language: str
    keys: list[str] = field(default_factory=list)

    def ask(self, prompt: str, shape: type[Reply]) -> Reply:
        """Return the judge's reply (see `Judge.ask`)."""
        reply, key = self.judge.ask(prompt, self.language, shape)
        self.keys.append(key)
        return reply

    def refuse(self, problem: str) -> JudgeError:
        """Return the error for replies that do not fit together, and forget them."""
        self.judge.replies.forget(self.keys)
        return JudgeError(f"{self.judge.name} {problem}", "use a better judge")


def judge_name(generator: Any) -> str:
    """Return who judges, for reports: the model, and where it is asked."""
    model = getattr(generator, "model", type(generator).__name__)
    place = getattr(generator, "api_base_url", None) or getattr(generator, "url", None)
    return f"{model} at {place}" if place else str(model)


def _read(text: str, language: str, shape: type[Reply]) -> Reply:
    thought, end, answer = text.rpartition("</think>")
    body = answer if end else thought + answer
    start, stop = body.find("{"), body.rfind("}") + 1
    try:
        data = json.loads(body[start:stop], object_hook=_with_plain_labels)
    except ValueError as error:
        raise JudgeError("it is no JSON object") from error
    other = wrong_language(data, language)
    if other:
        raise JudgeError(f"it is written in {other!r}, not in {language!r}")
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise JudgeError(f"its JSON is not as asked for: {where}: {first['msg']}") from error


def _with_plain_labels(entry: dict[str, Any]) -> dict[str, Any]:
    """Take `Yes` for `yes`, the one freedom that judges are given."""
    return {k: v.strip().lower() if k in LABELS and isinstance(v, str) else v for k, v in entry.items()}
