"""Marks that model servers put between the turns of a chat: in a text, some servers take them for the end of a turn."""

import re
from typing import Any

from khub.components.text.hidden_characters import without_hidden

_TURNS = re.compile(
    r"[<＜](?="
    r"[|｜][^|｜<>\n]{1,60}[|｜][>＞]"  # ChatML, Llama 3 and 4, Phi, Qwen, GLM, gpt-oss, Cohere; DeepSeek's are wide
    r"|/?(?:s|bos|eos|pad|unk|sop|eop|think|thinking|tools?|tool_(?:calls?|responses?|results?)|function_calls?)[>＞]"
    r"|/?(?:start|end|begin|beginning)_of_\w{1,20}[>＞]|<?/?SYS>)"  # Gemma, Llama 2
    r"|[\[［](?=/?(?:INST|IMG|THINK|ARGS|gMASK|(?-i:[A-Z]{2,20}(?:_[A-Z]{2,20}){1,3}))[\]］])",  # Mistral: [TOOL_CALLS]
    re.IGNORECASE,
)


def without_turns(text: str) -> str:
    """Return a text for a prompt in which such marks are apart, `< |im_end|>`, and so are none; words stay."""
    return _TURNS.sub(lambda found: f"{found[0]} ", without_hidden(text))


def values_without_turns(value: Any) -> Any:
    """Return what a prompt is filled with, its texts at any depth without such marks."""
    if isinstance(value, str):
        return without_turns(value)
    if isinstance(value, dict):
        return {key: values_without_turns(one) for key, one in value.items()}
    return [values_without_turns(one) for one in value] if isinstance(value, list | tuple) else value
