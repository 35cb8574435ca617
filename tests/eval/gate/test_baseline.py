import json
from dataclasses import replace

import pytest

from khub.components.errors import KhubError
from khub.eval.gate.baseline import baseline_of, read_baseline, write_baseline
from khub.eval.gate.thresholds import Bound
from khub.eval.gate.verdicts import verdict
from khub.eval.run.scoring import Scores
from tests.error_codes import raises_code
from tests.eval.gate.conftest import make_cases

pytestmark = pytest.mark.unit

SCORES = {"hit@5": [1.0, 0.0, None], "abstained_wrong": [0.0, 1 / 3, None], "latency_ms": [1.5, 2.5, 3.5]}


def problems(baseline, cases, thresholds):
    return list(baseline.problems(cases, thresholds))


def test_it_is_read_as_it_was_written(measured, tmp_path):
    now = measured(SCORES)
    file = write_baseline(tmp_path, baseline_of(now))
    read = read_baseline(tmp_path)
    assert read.columns["hit@5"] == {"c0": 1, "c1": 0, "c2": None}
    assert read.columns["abstained_wrong"]["c1"] == pytest.approx(1 / 3, abs=1e-6)
    assert read.about["graph"] == "query"
    assert [case.id for case in read.same(now.cases)] == ["c0", "c1", "c2"]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4 + 3 + 2


def test_rounding_is_no_difference(measured, thresholds, tmp_path):
    now = measured({"hit@5": [1 / 3, 2 / 3, 1 / 7, 1 / 9, 1 / 11, 1 / 13, 1 / 17]})
    write_baseline(tmp_path, baseline_of(now))
    for before in (baseline_of(now), read_baseline(tmp_path)):
        found = verdict(now, thresholds, before, thresholds.bounds[0])
        assert (found.change["p"], found.change["difference"]) == (1, 0)


def test_milliseconds_are_no_part_of_it(measured):
    assert list(baseline_of(measured(SCORES)).columns) == ["hit@5", "abstained_wrong"]


def test_the_same_questions_are_no_problem_nor_are_new_ones(measured, thresholds):
    baseline = baseline_of(measured(SCORES))
    assert not problems(baseline, make_cases(3), thresholds)
    assert not problems(baseline, make_cases(5), thresholds)


def test_lost_and_changed_questions_are(measured, thresholds):
    baseline = baseline_of(measured(SCORES))
    first, second, third = make_cases(3)
    asked_otherwise = replace(first, question="Which?")
    elsewhere = replace(second, relevant=(replace(second.relevant[0], page=2),))
    assert problems(baseline, [first, second], thresholds) == ["1 of its questions are gone (c2)"]
    assert problems(baseline, [asked_otherwise, elsewhere, third], thresholds) == [
        "2 of its questions, or their places, have changed (c0, c1)"
    ]


def test_so_are_another_graph_and_a_metric_that_it_lacks(measured, thresholds):
    baseline = baseline_of(measured({"mrr@10": [1.0]}))
    found = problems(baseline, make_cases(1), replace(thresholds, graph="query_other"))
    assert found == ["it is of graph 'query', the gate measures 'query_other'", "it has no hit@5, abstained_wrong"]


def test_it_keeps_what_each_leg_scores_alone(measured, thresholds, tmp_path):
    now = measured({"hit@5": [1.0, 1.0]}, legs={"sparse": Scores({"ndcg@10": [0.25, None]}, [])})
    write_baseline(tmp_path, baseline_of(now))
    read = read_baseline(tmp_path)
    assert read.columns == {"hit@5": {"c0": 1, "c1": 1}, "sparse.ndcg@10": {"c0": 0.25, "c1": None}}
    bounds = [Bound("ndcg@10", "at_least", 0, leg, lang) for leg in ("dense", "sparse") for lang in ("en", "zh")]
    assert problems(read, now.cases, replace(thresholds, bounds=bounds)) == ["it has no dense.ndcg@10"]


def test_a_missing_or_broken_baseline_names_the_remedy(tmp_path):
    with raises_code("evaluation_failed", "baseline.json", "khub.eval.gate.write_baseline"):
        read_baseline(tmp_path)
    for text in ("{", "[]", json.dumps({"about": {}, "metrics": ["a"], "cases": [{"id": "c", "scores": []}]})):
        (tmp_path / "baseline.json").write_text(text, encoding="utf-8")
        with pytest.raises(KhubError, match="cannot be used"):
            read_baseline(tmp_path)
