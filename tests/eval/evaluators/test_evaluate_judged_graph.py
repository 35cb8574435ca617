"""The shipped graph with judges, where there is no judge: it measures all that needs none."""

import pytest
from haystack import Pipeline

from khub.server.graphs.examination import examine_graph
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration
FILE = PIPELINES / "more" / "evaluate_judged.yaml"
JUDGES = ("deepeval", "ragas")


def test_khub_finds_nothing_wrong_with_it():
    assert examine_graph(FILE) == []


def test_without_a_judge_only_its_columns_are_empty(case, place, answer, cite, monkeypatch):
    monkeypatch.delenv("KHUB_JUDGE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cases = [{**case(place("heron")), "language": "en", "answer": "Slowly."}]
    answers = [{**answer(cite("heron")), "answer": "Herons wade slowly."}]
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    graph = Pipeline.loads(
        FILE.read_text(encoding="utf-8"), allowed_modules=["khub.components.*", "khub.eval.evaluators.*"]
    )
    result = graph.run({"evaluate": {"cases": cases, "answers": answers}})["evaluate"]
    scores = result["scores"]
    judged = {name for name in scores if name.startswith(JUDGES)}
    assert len(judged) == 7
    assert {name for name in scores if scores[name] == [None]} == judged | {"abstained_right"}
    assert {entry["metric"] for entry in result["failed"]} == judged
    for name in JUDGES:
        assert result[f"{name}_judge"]["name"] == "qwen3:8b at http://127.0.0.1:11434/v1"
