import json

import pytest

from khub.components.errors import KhubError
from khub.eval.cases import Case
from khub.eval.run.comparison import columns_of, compare, earlier_columns

pytestmark = pytest.mark.unit

CASES = [
    Case.from_dict({"id": str(n), "question": "?", "source": "a.md", "language": "en" if n % 2 else "zh"})
    for n in range(40)
]
IDS = [case.id for case in CASES]


def rows_of(**columns):
    a, b = ({name: dict(zip(IDS, pair[side], strict=True)) for name, pair in columns.items()} for side in (0, 1))
    rows = compare(CASES, ("one", "two"), a, b)["rows"]
    return {(row["metric"], row["group"]): row for row in rows}


def test_a_real_difference_is_seen_and_named():
    row = rows_of(mrr=([0.2] * 30 + [1.0] * 10, [1.0] * 40))[("mrr", "all")]
    assert (row["pairs"], row["mean_a"], row["mean_b"], row["difference"]) == (40, 0.4, 1, 0.6)
    assert 0.4 < row["low"] < 0.6 < row["high"] < 0.8
    assert row["p"] < 0.001
    assert row["better"] == "b"


def test_less_latency_is_better():
    row = rows_of(latency_ms=([10.0] * 40, [20.0] * 40))[("latency_ms", "all")]
    assert row["better"] == "a"


def test_a_difference_by_chance_is_not_named():
    row = rows_of(mrr=([0.0, 1.0] * 20, [0.5] * 39 + [1.0]))[("mrr", "all")]
    assert row["difference"] > 0
    assert row["better"] is None


def test_only_questions_that_both_have_a_value_for_count():
    row = rows_of(mrr=([None] * 10 + [1.0] * 30, [1.0] * 30 + [None] * 10))[("mrr", "all")]
    assert row["pairs"] == 20
    assert not rows_of(mrr=([None] * 40, [1.0] * 40))


def test_languages_have_rows_of_their_own():
    rows = rows_of(mrr=([0.0, 1.0] * 20, [1.0] * 40))
    assert {group: rows["mrr", group]["difference"] for group in ("all", "en", "zh")} == {"all": 0.5, "en": 0, "zh": 1}


@pytest.fixture
def earlier(tmp_path):
    report = {
        "case_ids": ["x", "y"],
        "graphs": {"query": {"scores": {"mrr": [1.0, None]}}, "query_other": {"scores": {"mrr": [0.5, 0.0]}}},
    }
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    return tmp_path


def test_an_earlier_report_can_be_compared_with(earlier):
    assert earlier_columns(f"{earlier}#query_other") == columns_of(["x", "y"], {"mrr": [0.5, 0.0]})
    assert earlier_columns(f"{earlier / 'report.json'}#query") == {"mrr": {"x": 1.0, "y": None}}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", r"it has query, query_other: name one as"),
        ("#qery", "did you mean 'query'"),
        ("/none", "cannot be compared"),
    ],
)
def test_an_earlier_report_that_is_not_clear_is_refused(earlier, name, message):
    with pytest.raises(KhubError, match=message):
        earlier_columns(f"{earlier}{name}")
