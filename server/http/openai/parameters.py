"""The parameters of OpenAI's protocol: none is passed over in silence.

Those that the hub has no use for are noted in the reply. Where a client would take the reply for what it is not, such
as an object of its schema or the call of a tool, the request is refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

from khub.components.text.hidden_characters import on_one_line
from khub.server.http.openai.errors import OpenAIError

MOST_NAMED = 20
NAME_CHARACTERS = 60
UNSUPPORTED = "unsupported_parameter"
ASKS_NOTHING: dict[str, tuple[Any, ...]] = {
    "background": (False,),
    "function_call": ("none", "auto"),
    "logprobs": (False,),
    "modalities": (["text"],),
    "parallel_tool_calls": (True, False),
    "response_format": ({"type": "text"},),
    "service_tier": ("auto", "default"),
    "store": (False,),
    "text": ({"format": {"type": "text"}},),
    "tool_choice": ("none", "auto"),
    "truncation": ("disabled",),
}
"""Parameter -> values that ask for nothing but what the hub does anyway."""


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type", "text") != "text"


def _is_forced(value: Any) -> bool:
    if isinstance(value, dict) and value.get("type") == "allowed_tools":
        value = (value.get("allowed_tools") or value).get("mode")  # nested in a chat, not in a response
    return value not in (None, "none", "auto")


JSON_TOLD = "the hub answers in text, not in JSON of a schema: read `citations` of the reply, or take POST /query/run"
TOOLS_TOLD = "the hub calls no tools, so that none can be required: leave it out"
STORED_TOLD = "the hub keeps no conversations: send the messages before in `input`"
REFUSED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "background": (bool, "the hub answers at once, and nothing in the background: leave it out"),
    "conversation": (bool, STORED_TOLD),
    "function_call": (_is_forced, TOOLS_TOLD),
    "modalities": (lambda value: value not in (None, ["text"]), "the hub answers in text alone: leave it out"),
    "previous_response_id": (bool, STORED_TOLD),
    "prompt": (bool, "the hub keeps no prompts: send the question in `input`"),
    "response_format": (_is_schema, JSON_TOLD),
    "text": (lambda value: isinstance(value, dict) and _is_schema(value.get("format")), JSON_TOLD),
    "tool_choice": (_is_forced, TOOLS_TOLD),
}
"""Parameter -> which of its values are refused, and what the client is told."""


def notes_on(given: Mapping[str, Any]) -> list[str]:
    """Return what is to be said of parameters that are not heeded.

    :param given: name -> value, of all those that change nothing here.
    :raises OpenAIError: naming one that is refused.
    """
    for name, (is_refused, told) in REFUSED.items():
        if is_refused(given.get(name)):
            raise OpenAIError(400, f"{name}: {told}", UNSUPPORTED, name)
    idle = [name for name, value in given.items() if value in (None, [], {}) or value in ASKS_NOTHING.get(name, ())]
    unheeded = sorted(on_one_line(name)[:NAME_CHARACTERS] for name in given if name not in idle)
    return [f"not heeded: {', '.join(unheeded[:MOST_NAMED])}"] if unheeded else []
