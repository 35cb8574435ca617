import pytest

from khub.eval.cases import Case
from khub.eval.run.figures import figures
from khub.eval.run.scoring import Scores

pytestmark = pytest.mark.unit


def case(number, answerable=True, **more):
    source = {"source": "a.pdf", "page": number} if answerable else {}
    return Case.from_dict({"id": f"c{number}", "question": "Where?", **source, **more})


CASES = [case(1), case(2, language="zh"), case(3, kind="table"), case(4, answerable=False), case(5, page=None)]
SET_OF = {"c1": "one", "c2": "one", "c3": "two", "c4": "two", "c5": "two"}


def measured(failed=(), **values):
    return figures(CASES, SET_OF, Scores({name.replace("_at_", "@"): v for name, v in values.items()}, list(failed)))


def test_a_mean_comes_with_its_interval_and_its_denominator():
    figure = measured(hit_at_5=[1.0, 0.0, 1.0, None, None])["metrics"]["hit@5"]["all"]
    assert figure["mean"] == pytest.approx(2 / 3, abs=1e-6)
    assert figure["low"] < figure["mean"] < figure["high"]
    assert (figure["valid"], figure["total"]) == (3, 4)


def test_what_could_not_be_measured_has_no_mean_and_keeps_its_total():
    figure = measured(hit_at_5=[None] * 5)["metrics"]["hit@5"]["all"]
    assert figure == {"mean": None, "low": None, "high": None, "valid": 0, "total": 4}


def test_totals_are_the_cases_that_a_metric_is_about():
    none = [None] * 5
    metrics = measured(page_accuracy=none, abstained_right=none, abstained_wrong=none, latency_ms=none, faith=none)
    totals = {name: table["all"]["total"] for name, table in metrics["metrics"].items()}
    assert totals == {"page_accuracy": 3, "abstained_right": 1, "abstained_wrong": 4, "latency_ms": 5, "faith": 5}
    assert metrics["latency"] is None


def test_a_judged_metric_is_about_known_answers_or_about_what_was_answered():
    cases = [case(1, answer="Here."), case(2), case(3, answer="There."), case(4, answerable=False)]
    names = ("deepeval_contextual_recall", "ragas_context_precision", "deepeval_faithfulness", "ragas_faithfulness")
    columns = {name: [0.5, None, None, None] for name in names}
    failed = [{"metric": "deepeval_faithfulness", "case_id": "c4", "reason": "no JSON"}]
    found = figures(cases, SET_OF, Scores(columns, failed))["metrics"]
    totals = {name: (found[name]["all"]["valid"], found[name]["all"]["total"]) for name in names}
    assert list(totals.values()) == [(1, 2), (1, 2), (1, 2), (1, 1)]


def test_what_failed_is_missing_from_the_total_of_its_own_metric():
    failed = [{"metric": "faith@5", "case_id": "c4", "reason": "?"}, {"metric": "hit@5", "case_id": "c4", "reason": ""}]
    found = measured(failed, hit_at_5=[1.0, None, 1.0, None, 1.0], recall_at_5=[1.0, None, 1.0, None, 1.0])["metrics"]
    assert [found[name]["all"]["total"] for name in ("hit@5", "recall@5")] == [5, 4]


def test_groups_have_their_own_figures():
    table = measured(hit_at_5=[1.0, 0.0, 0.5, None, 1.0])["metrics"]["hit@5"]
    assert {name: figure["mean"] for name, figure in table["language"].items()} == {"en": 0.833333, "zh": 0}
    assert {name: figure["mean"] for name, figure in table["kind"].items()} == {"fact": 0.666667, "table": 0.5}
    assert {name: figure["mean"] for name, figure in table["set"].items()} == {"one": 0.5, "two": 0.75}


def test_metrics_are_listed_in_a_fixed_order():
    columns = {name: [1.0] * 5 for name in ("failed", "faith", "ndcg@10", "hit@10", "hit@5", "latency_ms")}
    names = list(figures(CASES, SET_OF, Scores(columns, []))["metrics"])
    assert names == ["hit@5", "hit@10", "ndcg@10", "latency_ms", "failed", "faith"]


def test_percentiles_of_the_latency():
    found = measured(latency_ms=[10.0, 20.0, 30.0, 40.0, None])["latency"]
    assert (found["p50"], found["max"], found["valid"], found["total"]) == (25, 40, 4, 5)
    assert found["p50"] < found["p95"] < found["p99"] < found["max"]
