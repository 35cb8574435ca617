"""What a query graph carries cannot be changed on its way, and costs no copies."""

import copy
import dataclasses

import numpy as np
import pytest
from haystack import Document

from khub.components.errors import QueryError
from khub.components.question import KeywordSigns, Leg, Question, check_legs, check_top_k
from khub.components.value import as_json

pytestmark = pytest.mark.unit

CARRIED = [
    Question("a", "a", filters={"field": "meta.x", "operator": "==", "value": 1}, terms=["a"]),
    Leg("dense", [Document(id="a", content="a")], vectors={"": np.zeros(3)}, cosines={"a": 0.5}),
]


@pytest.mark.parametrize("carried", CARRIED, ids=["question", "leg"])
def test_what_is_carried_is_frozen(carried: Question | Leg) -> None:
    for field in dataclasses.fields(carried):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(carried, field.name, None)


@pytest.mark.parametrize("carried", CARRIED, ids=["question", "leg"])
def test_what_is_carried_is_copied_as_itself(carried: Question | Leg) -> None:
    assert copy.deepcopy(carried) is carried
    assert copy.deepcopy({"several": [carried, carried]})["several"][1] is carried


def test_a_stage_s_own_question_leaves_the_one_before_as_it_was() -> None:
    before = Question("a b", "a b")
    after = dataclasses.replace(before, terms=["a"])
    assert (before.terms, after.terms, after.asked) == ([], ["a"], "a b")
    assert Question("x").expansions is not Question("y").expansions


def test_the_report_of_a_leg_holds_no_figures_for_the_stages_behind_it() -> None:
    leg = Leg("sparse", [Document(content="a")], reason="odd", signs=KeywordSigns(0.5, {"a": 1.0}))
    assert as_json(leg.report()) == {"name": "sparse", "used": True, "hits": 1, "reason": "odd", "coverage": 0.5}


def test_a_leg_that_is_left_out_has_not_failed() -> None:
    leg = Leg.left_out("dense", "no words")
    assert as_json(leg.report()) == {"name": "dense", "used": False, "hits": 0, "reason": "no words"}
    assert not leg.failed


@pytest.mark.parametrize(("legs", "message"), [(["spars"], "leg 'spars' is unknown"), ([], "no leg is wanted")])
def test_unknown_legs_are_refused(legs: list[str], message: str) -> None:
    with pytest.raises(QueryError, match=f"{message}: name some of: dense, sparse"):
        check_legs(legs)


@pytest.mark.parametrize(("wanted", "depth"), [(None, 30), (5, 30), (15, 30), (16, 32), (100, 200)])
def test_a_stage_goes_deeper_where_more_is_wanted_than_it_has_by_itself(wanted: int | None, depth: int) -> None:
    assert Question("x", top_k=wanted).depth(30) == depth


@pytest.mark.parametrize("top_k", [0, -1, 101])
def test_more_passages_than_may_be_asked_for_are_refused(top_k: int) -> None:
    with pytest.raises(QueryError, match=f"top_k is {top_k}: ask for 1 to 100"):
        check_top_k(top_k)


@pytest.mark.parametrize("legs", [None, ["dense"], ["sparse", "dense"]])
def test_known_legs_and_none_are_taken(legs: list[str] | None) -> None:
    check_legs(legs)
