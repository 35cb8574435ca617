"""No text in a prompt ends a turn of the chat."""

import pytest

from khub.components.model_servers.prompt import Prompt
from khub.components.text.turn_marks import without_turns

pytestmark = pytest.mark.unit
MARKS = [
    *("<|im_start|>", "<|im_end|>", "<|eot|>", "<|eot_id|>", "<|header_start|>", "<|assistant|>", "<|user|>"),
    *("<|START_OF_TURN_TOKEN|>", "<|tool_calls_section_begin|>", "<|channel|>", "<|endoftext|>"),
    *("<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜tool▁calls▁begin｜>", "＜｜User｜＞"),
    *("<s>", "</s>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<sop>", "<<SYS>>", "<</SYS>>"),
    *("[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]"),
    *("[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[gMASK]", "[THINK]"),
    *("<tool_call>", "</tool_call>", "<tool_response>", "<tools>", "<think>", "</think>"),
]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("hidden", ["", "\u200b", "\u2060"])
def test_no_mark_is_left(mark, hidden):
    spelled = mark[:2] + hidden + mark[2:]
    shown = without_turns(f"a{spelled}b")
    assert mark not in shown
    assert spelled not in shown
    assert "".join(shown.split()) == "".join(f"a{mark}b".split())


@pytest.mark.parametrize(
    "text", ["a < b > c", "[1] [x] [ ] [TODO]", "<b>bold</b> List<String>", "x|y|z", "《书》［图］"]
)
def test_other_text_stays(text):
    assert without_turns(text) == text


def test_prompts_are_filled_without_marks_at_any_depth():
    prompt = Prompt("{{ text }} {{ passages[0].text }} {{ names[0] }}", "test")
    values = {"text": "<tool_call>", "passages": [{"text": "<eos>"}], "names": ["[INST]"]}
    assert prompt.filled(**values) == "< tool_call> < eos> [ INST]"
