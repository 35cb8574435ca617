"""Rankings by one leg alone, on three small files."""

from dataclasses import replace

import pytest
from haystack import Document

from khub.components.errors import BindingError, RetrievalError
from khub.eval.gate import legs
from khub.eval.gate.legs import leg_ranking, measure_legs
from khub.eval.gate.thresholds import read_thresholds
from khub.eval.retrieve.ranking import CITATIONS, RANKED
from khub.eval.run.golden_set import golden_sets
from khub.server.graphs.run import RunResult
from tests.error_codes import raises_code
from tests.eval.gate.conftest import ROWS
from tests.eval.run.conftest import quiet
from tests.server.hub_files import copy_pipelines, edit

pytestmark = pytest.mark.integration

UNANSWERABLE = '\n{"id": "moon", "question": "Where is the moon?"}\n'


@pytest.fixture
def measure_small(gate_folder):
    """Return a function that measures the legs of the small gate's graph."""
    thresholds = read_thresholds(gate_folder)

    def measure(*chosen):
        [questions] = golden_sets([str(file) for file in thresholds.sets])
        return measure_legs(leg_ranking(thresholds.graph), chosen, questions.cases, thresholds.documents, quiet)

    return measure


def test_each_leg_is_asked_alone_and_only_what_can_be_answered(gate_folder, measure_small, monkeypatch):
    asked, run = [], legs.run_graph

    def noted(graph, inputs):
        asked.append((*inputs["legs"], inputs["query"]))
        return run(graph, inputs)

    monkeypatch.setattr(legs, "run_graph", noted)
    with (gate_folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write(UNANSWERABLE)
    found = measure_small("dense", "sparse")
    assert asked == [(leg, row["question"]) for leg in ("dense", "sparse") for row in ROWS]
    assert list(found) == ["dense", "sparse"]
    for scores in found.values():
        assert set(scores.values) == {"hit@5", "recall@10", "mrr@10", "ndcg@10"}
        assert scores.values["recall@10"] == [1, 1, 1, None]
        assert scores.failed == []


def test_abstaining_hides_nothing(measure_small, monkeypatch, tmp_path):
    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "query.yaml", "{top_k: 5}", "{top_k: 5, min_confidence: 1.1}")
    monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
    assert measure_small("sparse")["sparse"].values["hit@5"] == [1, 1, 1]


def test_a_question_that_fails_by_a_leg_is_told(measure_small, monkeypatch):
    asked = legs.run_graph

    def fail_once(graph, inputs):
        if "trout" in inputs["query"]:
            raise RetrievalError("no leg could answer", "wait")
        return asked(graph, inputs)

    monkeypatch.setattr(legs, "run_graph", fail_once)
    scores = measure_small("dense")["dense"]
    assert scores.values["hit@5"] == [1, None, 1]
    assert {(one["case_id"], one["reason"]) for one in scores.failed} == {("trout", "no leg could answer: wait")}


def test_a_collection_that_cannot_be_asked_stops_it(measure_small, monkeypatch):
    def refuse(graph, inputs):
        raise BindingError("it was embedded by another model", "reindex")

    monkeypatch.setattr(legs, "run_graph", refuse)
    with pytest.raises(BindingError, match="another model"):
        measure_small("dense")


@pytest.mark.parametrize(("others", "recall"), [(9, 1), (10, 0)])
def test_no_more_than_ten_passages_count(measure_small, monkeypatch, others, recall):
    asked = legs.run_graph

    def behind_others(graph, inputs):
        first, *_ = asked(graph, inputs).outputs[RANKED]
        other = replace(first, meta={**first.meta, "source": "elsewhere.md"})
        return RunResult({RANKED: [*[other] * others, first]}, "", {})

    monkeypatch.setattr(legs, "run_graph", behind_others)
    assert measure_small("sparse")["sparse"].values["recall@10"] == [recall] * 3


def test_equal_scores_are_in_the_order_of_the_answer(measure_small, monkeypatch):
    asked = legs.run_graph

    def tied(graph, inputs):
        first, *_ = asked(graph, inputs).outputs[RANKED]
        found = Document(id="a", content=first.content, meta={"source": first.meta["source"]}, score=0.5)
        other = Document(id="b", content="", meta={"source": "elsewhere.md"}, score=0.5)
        return RunResult({RANKED: [other, found]}, "", {})

    monkeypatch.setattr(legs, "run_graph", tied)
    assert measure_small("sparse")["sparse"].values["mrr@10"] == [1, 1, 1]


def test_a_graph_without_legs_is_refused(monkeypatch, tmp_path):
    pipelines = copy_pipelines(tmp_path)
    edit(pipelines / "query.yaml", "  legs: route.legs\n", "")
    monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
    with raises_code("graph_input_wrong", "'query'", "'legs'"):
        leg_ranking("query")


def test_so_is_one_that_has_no_ranking_before_its_answer(monkeypatch):
    ranking = replace(leg_ranking("query"), source=CITATIONS)
    monkeypatch.setattr(legs, "load_ranking", lambda name: ranking)
    with raises_code("graph_stage_missing", "'query'"):
        leg_ranking("query")
