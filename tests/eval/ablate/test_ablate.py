"""`khub eval ablate` on a tiny data set, through the real graphs."""

import json

import pytest
import yaml

from khub.components.home import hub_home
from khub.eval.ablate.asking import WARM, by_turns
from khub.eval.ablate.variants import AGAIN
from khub.eval.retrieve.ranking import Ranking
from khub.server.graphs.load import find_graph
from tests.eval.ablate.conftest import QUERIES
from tests.eval.pages.conftest import page_set

__all__ = ["page_set"]
pytestmark = pytest.mark.integration
ONE = ("--without", "rerank")


def rows(run):
    return {row["label"]: row for row in run.report["rows"]}


def test_every_stage_is_taken_out_and_each_leg_asked_alone(khub, beir):
    folder = beir()
    run = khub("query", folder)
    assert run.exit_code == 0, run.output
    found = rows(run)
    stages = yaml.safe_load(find_graph("query").read_text(encoding="utf-8"))["components"]
    assert list(found) == [
        "as it stands",
        AGAIN,
        *(f"without {name}" for name in stages),
        "dense alone",
        "sparse alone",
    ]
    assert found["as it stands"]["sets"]["small"]["figures"]["mean"] == 1
    assert found["as it stands"]["cpu_ms"]["mean"] > 0
    assert found["without route"] == {"label": "without route", "refused": "'inputs' holds no entries"}
    assert found["without rerank"]["sets"]["small"]["difference"]["total"] == 3
    measured = [row for row in found.values() if "refused" not in row]
    assert {(row["failed"], row["degraded"]) for row in measured} == {(0, 0)}
    assert f"`khub eval ablate query {folder}`" in run.stdout
    assert found[AGAIN]["sets"]["small"]["difference"]["mean"] == 0
    assert "| without route | not measured: 'inputs' holds no entries | – |" in run.stdout
    assert "| without join | rank.documents takes dense.documents and sparse.documents, one behind the other |" in (
        run.stdout
    )


def test_what_a_change_costs_is_seen_and_every_score_is_kept(khub, beir, tmp_path):
    run = khub("query", beir(), "--set", "rank.top_k=1,40", "--set", "join.top_k=1", "--sample", 2)
    assert run.exit_code == 0, run.output
    assert rows(run)["as it stands (rank.top_k=40)"]["refused"] == "it has this value as it stands"
    scores = json.loads((tmp_path / "out" / "ablate-scores.json").read_text(encoding="utf-8"))["small"]
    assert list(scores) == ["as it stands", AGAIN, "rank.top_k=1", "join.top_k=1"]
    assert [score for score, _ in scores["as it stands"].values()] == [1.0, 1.0]
    assert run.report["sets"][0]["questions"] == 2


def test_a_worse_graph_is_told_as_worse(khub, beir, tmp_path):
    data = yaml.safe_load(find_graph("query").read_text(encoding="utf-8"))
    data["connections"] = [line for line in data["connections"] if line["sender"] != "select.documents"]
    data["outputs"]["documents"] = "select.documents"
    file = tmp_path / "query.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    row = rows(khub("query", beir(), "--against", file))[f"against {file}"]
    assert row["mean"]["mean"] == -1
    assert row["remarks"] == [
        "its ranking is that of the citations of the answer, unlike the graph's as it stands"
    ]  # fmt: skip


def test_questions_go_through_the_graphs_by_turns_after_a_warm_up(khub, beir, monkeypatch):
    log, ask = [], Ranking.ask

    def noted(self, text, *arguments):
        log.append((text, self.name))
        return ask(self, text, *arguments)

    monkeypatch.setattr(Ranking, "ask", noted)
    assert khub("query", beir(), *ONE).exit_code == 0
    graphs = ["query", AGAIN, "without rerank"]
    once = [(text, name) for n, (_, text) in enumerate(QUERIES) for name in by_turns(graphs, n)]
    assert log == once[: 3 * WARM] + once


def test_no_graph_is_always_asked_first_or_behind_the_same_one():
    orders = [by_turns("abcd", number) for number in range(200)]
    for graph in "abcd":
        assert 30 < sum(order[0] == graph for order in orders) < 70
        before = [order[order.index(graph) - 1] for order in orders if order[0] != graph]
        assert all(30 < before.count(other) < 70 for other in set("abcd") - {graph})
    assert all(sorted(order) == list("abcd") for order in orders)


def test_a_stopped_command_goes_on(khub, beir, asked):
    folder = beir()
    asked.stop_at = 9 + 5
    assert khub("query", folder, *ONE).exit_code != 0
    asked.stop_at = None
    run = khub("query", folder, *ONE)
    assert run.exit_code == 0, run.output
    assert len(asked) == 14 + 5 + 5  # what waits is five, each also once to warm up
    assert rows(run)["without rerank"]["sets"]["small"]["figures"]["valid"] == 3


def test_a_question_that_fails_is_counted_and_told(khub, beir):
    run = khub("query", beir([("q1", "Where does a heron wade?"), ("q2", "?!")]), *ONE)
    assert run.exit_code == 1
    assert (rows(run)["without rerank"]["failed"], rows(run)["as it stands"]["failed"]) == (1, 1)
    assert rows(run)["as it stands"]["sets"]["small"]["figures"]["valid"] == 1
    assert "- as it stands, small: failed: the query '?!' is empty" in run.stdout


def test_pages_are_asked_over_all_and_within_the_named_document(khub, page_set):
    run = khub("query", page_set(), "--without", "filter", "--legs", "dense")
    assert run.exit_code == 0, run.output
    assert [(one["name"], one["questions"]) for one in run.report["sets"]] == [("small", 2), ("small (named)", 2)]
    assert rows(run)["as it stands"]["sets"]["small (named)"]["figures"]["mean"] == 1
    assert rows(run)["without filter"]["sets"]["small (named)"]["figures"]["mean"] == 1
    assert list(rows(run)) == ["as it stands", AGAIN, "without filter", "dense alone"]


def test_what_cannot_be_measured_is_told(khub, beir, tmp_path):
    folder = beir()
    misspelt = khub("query", folder, "--without", "rerenk").exception
    assert (misspelt.code, "'rerenk'" in str(misspelt), "'rerank'" in str(misspelt)) == (
        "graph_stage_missing", True, True,
    )  # fmt: skip
    assert "is no data set" in str(khub("query", tmp_path).exception)
    twice = khub("query", folder, folder).exception
    assert (twice.code, "'small'" in str(twice)) == ("evaluation_failed", True)
    assert not (hub_home() / "eval" / "collections").exists()
