import itertools

import pytest

from khub.components.answers.leg_reports import joined_failures, keyword_signs, whole_legs
from khub.components.errors import RetrievalError
from khub.components.question import NO_SIGNS, KeywordSigns, Leg

pytestmark = pytest.mark.unit

DENSE, SPARSE = Leg("dense"), Leg("sparse", signs=KeywordSigns(0.5, {"robot": 2.0}))
UNUSED = Leg.left_out("sparse", "left out by the caller")


def failed(name: str, reason: str = "down") -> Leg:
    return Leg(name, used=False, reason=reason, failed=True)


def test_failures_come_by_name_whichever_stage_was_first() -> None:
    lists = [
        [{"stage": "zoom", "reason": "down"}],
        [{"stage": "sparse", "reason": "b"}, {"stage": "sparse", "reason": "a"}],
        [],
        None,
        [{"stage": "dense", "reason": "down"}],
    ]

    for arrival in itertools.permutations(lists):
        told = [(entry.stage, entry.reason) for entry in joined_failures(arrival)]
        assert told == [("dense", "down"), ("sparse", "a"), ("sparse", "b"), ("zoom", "down")]


def test_legs_come_by_name_whichever_was_first() -> None:
    for arrival in itertools.permutations([Leg("web"), SPARSE, None, DENSE, failed("image")]):
        assert [leg.name for leg in whole_legs(arrival)] == ["dense", "image", "sparse", "web"]


@pytest.mark.parametrize("legs", [[failed("dense"), failed("sparse", "locked")], [failed("dense"), UNUSED]])
def test_when_no_wanted_leg_could_answer_it_is_an_error(legs: list[Leg]) -> None:
    with pytest.raises(RetrievalError) as caught:
        whole_legs(legs)

    assert [f"{leg.name}: {leg.reason}" in str(caught.value) for leg in legs] == [leg.failed for leg in legs]
    assert "khub doctor" in caught.value.remedy


@pytest.mark.parametrize("legs", [[], [UNUSED], [Leg.left_out("dense", "no words"), UNUSED], [failed("dense"), SPARSE]])
def test_legs_left_out_by_decision_and_a_failure_beside_a_leg_that_answers_are_no_error(legs: list[Leg]) -> None:
    assert whole_legs(legs) == legs


def test_the_keyword_leg_tells_how_rare_the_words_are() -> None:
    assert keyword_signs([DENSE, SPARSE]) == SPARSE.signs
    assert keyword_signs([DENSE, UNUSED]) == NO_SIGNS
