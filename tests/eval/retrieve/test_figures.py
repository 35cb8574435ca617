import pytest

from khub.eval.retrieve.figures import figure, markdown_table, operation, percent, share

pytestmark = pytest.mark.unit


def test_a_figure_says_of_how_many_questions():
    value = figure([1.0, 0.0, None, 1.0])
    assert value["mean"] == pytest.approx(2 / 3)
    assert value["low"] < value["mean"] < value["high"]
    assert share(value) == "3/4"
    assert percent({**value, "low": 0.0, "high": 1.0}) == "66.7 [0.0–100.0]"


def test_no_value_at_all_is_no_zero():
    value = figure([None, None])
    assert value["mean"] is None
    assert (percent(value), share(value)) == ("–", "0/2")


def test_the_seed_decides_the_interval():
    values = [0.1, 0.9, 0.4, 0.3, 0.7, 0.2]
    assert figure(values) == figure(values)
    assert figure(values, seed=1)["low"] != figure(values, seed=2)["low"]


def test_operation_counts():
    good = {"ranked": [["a", 1]] * 3, "degraded": [], "abstained": False, "seconds": 0.01}
    answers = {
        "q1": good,
        "q2": {**good, "ranked": [["a", 1]], "degraded": ["dense"], "abstained": True, "seconds": 0.03},
        "q3": {"error": "lost"},
    }
    assert operation(answers) == {
        "total": 3, "failed": [{"id": "q3", "error": "lost"}], "degraded": 1, "abstained": 1, "deepest": 3,
        "median_ms": 20.0,
    }  # fmt: skip
    assert operation({"q3": {"error": "lost"}})["median_ms"] is None


def test_a_table_is_markdown_whatever_stands_in_it():
    assert markdown_table(["a", "n"], 1, [["x|y", "1"]]) == "| a | n |\n| --- | ---: |\n| x\\|y | 1 |"
