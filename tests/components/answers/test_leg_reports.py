import itertools

import pytest

from components.answers.leg_reports import complete_legs, in_order_of_stages
from components.errors import RetrievalError

pytestmark = pytest.mark.unit

DENSE = {"name": "dense", "used": True, "hits": 3, "reason": ""}
SPARSE = {"name": "sparse", "used": True, "hits": 2, "reason": "", "coverage": 0.5}
UNUSED = {"name": "sparse", "used": False, "hits": 0, "reason": "left out by legs"}


def failure(stage: str, reason: str = "down") -> dict[str, str]:
    return {"stage": stage, "reason": reason}


def test_failures_come_in_the_order_of_the_stages() -> None:
    lists = [[failure("zoom")], [failure("rank")], [failure("sparse", "b"), failure("sparse", "a")], [failure("dense")]]

    for arrival in itertools.permutations(lists):
        ordered = [(entry["stage"], entry["reason"]) for entry in in_order_of_stages(arrival)]
        assert ordered == [("dense", "down"), ("sparse", "a"), ("sparse", "b"), ("rank", "down"), ("zoom", "down")]


def test_stages_of_all_shipped_graphs_come_in_the_order_of_the_graph() -> None:
    stages = ("route", "filter", "synonyms", "expand", "dense", "sparse", "rank", "interact", "rerank", "evidence")
    lists = [[failure(stage)] for stage in (*sorted(stages), "any", "zoom")]

    assert [entry["stage"] for entry in in_order_of_stages(lists)] == [*stages, "any", "zoom"]


def test_legs_come_dense_first_and_others_by_name() -> None:
    reports = [{**DENSE, "name": "web"}, SPARSE, {**DENSE, "name": "image"}, DENSE]

    for arrival in itertools.permutations(reports):
        assert [leg["name"] for leg in complete_legs(arrival, [])] == ["dense", "sparse", "image", "web"]


def test_a_leg_that_failed_is_reported_in_its_place() -> None:
    assert complete_legs([SPARSE], [failure("dense", "no answer in 5 s")]) == [
        {"name": "dense", "used": False, "hits": 0, "reason": "no answer in 5 s"},
        SPARSE,
    ]


def test_a_leg_that_answered_keeps_its_own_report() -> None:
    assert complete_legs([DENSE, SPARSE], [failure("dense", "index is stale")]) == [DENSE, SPARSE]


def test_a_failed_ranker_is_no_leg() -> None:
    assert complete_legs([DENSE, SPARSE], [failure("rank")]) == [DENSE, SPARSE]
    assert complete_legs([UNUSED], [failure("rank")]) == [UNUSED]


@pytest.mark.parametrize(
    ("reports", "failures"),
    [
        ([], [failure("dense", "no model"), failure("sparse", "locked")]),
        ([UNUSED], [failure("dense", "no model")]),
        ([{**DENSE, "used": False}, UNUSED], [failure("dense", "no model")]),
    ],
)
def test_when_no_wanted_leg_could_answer_it_is_an_error(reports: list[dict], failures: list[dict]) -> None:
    with pytest.raises(RetrievalError) as caught:
        complete_legs(reports, failures)

    assert all(f"{entry['stage']}: {entry['reason']}" in str(caught.value) for entry in failures)
    assert "khub doctor" in caught.value.remedy


def test_legs_left_out_by_decision_are_no_error() -> None:
    unused = {**DENSE, "used": False}

    assert complete_legs([UNUSED, unused], []) == [unused, UNUSED]
