import pytest

from components.retrievers.leg_report import left_out, report, wanted

pytestmark = pytest.mark.unit


def test_reports():
    assert report("dense", 3) == {"name": "dense", "used": True, "hits": 3, "reason": ""}
    assert report("sparse", 0, "why", coverage=0.5) == {
        "name": "sparse", "used": True, "hits": 0, "reason": "why", "coverage": 0.5,
    }  # fmt: skip
    assert left_out("dense", "why") == {
        "documents": [], "leg": {"name": "dense", "used": False, "hits": 0, "reason": "why"},
    }  # fmt: skip


@pytest.mark.parametrize(("legs", "answer"), [(None, True), (["dense"], True), (["sparse"], False), ([], False)])
def test_wanted(legs, answer):
    assert wanted("dense", legs) is answer
