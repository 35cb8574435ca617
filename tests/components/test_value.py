"""Values as JSON: what is left out, what is always there, and what their schemas say."""

import copy
from dataclasses import replace

import pytest

from khub.components.answer import Answer, AppliedFilter, Citation, Degraded, LegReport, Preference, Surroundings
from khub.components.value import adapter, as_json
from khub.components.verification import ComparedFacts, Difference, JudgedClaim, Verification

pytestmark = pytest.mark.unit

CITED = Citation(
    1,
    "c1",
    source="/a.md",
    title="A",
    section="",
    page=None,
    text="Herons wade.",
    score=0.5,
    context=Surroundings("x", "y", ""),
)
ANSWER = Answer(
    "Herons wade [1].",
    False,
    0.9,
    [CITED],
    filters=[AppliedFilter("type:pdf", "question", "type:pdf", unmatched=True)],
    preferences=[Preference("newest", None, "latest")],
    legs=[LegReport("sparse", True, 3, "", 0.5, ["e-1"])],
    degraded=[Degraded("dense", "late", "birds")],
)
VERIFICATION = Verification(
    [JudgedClaim("Herons swim.", "differs", 0.5, "", [CITED], ComparedFacts([], [Difference("2", "3")]), "rules")]
)


@pytest.mark.parametrize("value", [ANSWER, VERIFICATION], ids=["answer", "verification"])
def test_what_is_written_is_read_as_the_same(value: Answer | Verification) -> None:
    assert adapter(type(value)).validate_python(as_json(value)) == value


def test_a_plain_default_is_left_out_and_all_else_is_there() -> None:
    written = as_json(ANSWER)
    assert written["filters"] == [{"text": "type:pdf", "from": "question", "words": "type:pdf", "unmatched": True}]
    assert written["citations"][0].keys() >= {"url", "page", "also_in", "evidence"}
    assert "collection" not in written["citations"][0]
    assert not {"generated", "model", "searched", "collections"} & written.keys()
    not_written = as_json(replace(ANSWER, generated=False, model=None))
    assert (not_written["generated"], not_written["model"]) == (False, None)


def test_lists_and_mappings_of_values_are_written_too() -> None:
    assert as_json({"a": (Degraded("x", "y"), 1)}) == {"a": [{"stage": "x", "reason": "y"}, 1]}


def test_a_value_is_copied_as_itself() -> None:
    assert copy.deepcopy([ANSWER])[0] is ANSWER


def test_what_a_field_says_of_itself_describes_it_in_the_schema() -> None:
    schema = adapter(Answer).json_schema()
    assert "Markdown" in schema["properties"]["answer"]["description"]
    assert schema["$defs"]["AppliedFilter"]["properties"].keys() >= {"from", "words"}
