"""Taking stages out of graphs: the shipped ones, and small ones of Haystack's own components."""

import re

import pytest
import yaml

from khub.components.errors import GraphError
from khub.eval.ablate.taking_out import take_out
from khub.server.graphs.check import check_graph_text
from khub.server.graphs.load import load_graph
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.unit
REFUSED = {"route", "answer"}
"""Stages of the shipped graph that nothing can stand for."""


def stages(name="query"):
    return [part for part, _ in load_graph(name).pipeline.walk()]


def without(*names, graph="query"):
    text, remarks = take_out(load_graph(graph), names)
    data = yaml.safe_load(text)
    return data, {(line["sender"], line["receiver"]) for line in data["connections"]}, remarks


@pytest.mark.parametrize("stage", sorted(set(stages()) - REFUSED))
def test_a_graph_without_a_stage_is_a_graph(stage):
    text, _ = take_out(load_graph("query"), [stage])
    assert check_graph_text(text, "without") == []
    assert set(yaml.safe_load(text)["components"]) == set(stages()) - {stage}
    assert not re.search(rf"\b{stage}\.", text.partition("connections:")[2])


@pytest.mark.parametrize("stage", sorted(REFUSED))
def test_a_stage_that_nothing_stands_for_is_refused_with_the_reason(stage):
    with pytest.raises(GraphError, match=r"inputs|output 'answer'"):
        take_out(load_graph("query"), [stage])


def test_what_a_stage_was_given_goes_to_its_readers():
    _, lines, remarks = without("rerank")
    assert ("rank.documents", "select.documents") in lines
    assert remarks == []


def test_a_leg_leaves_the_joiner_to_the_other_one():
    _, lines, _ = without("dense")
    assert [sender for sender, receiver in lines if receiver == "join.documents"] == ["sparse.documents"]
    assert [sender for sender, receiver in lines if receiver == "rank.legs"] == ["sparse.leg"]


def test_several_stages_at_once_are_passed_over_together():
    _, lines, remarks = without("rank", "rerank", "filter", "analyze")
    assert ("route.question", "translate.question") in lines
    assert ("join.documents", "select.documents") in lines
    assert remarks == []


def test_what_runs_on_without_a_reader_is_told(tmp_path):
    text = (PIPELINES / "query.yaml").read_text(encoding="utf-8").replace("gloss.question, ", "translate.question, ")
    text = text.replace("translate.question, receiver: rank.", "gloss.question, receiver: rank.")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    assert without("rank", graph=str(tmp_path / "mine.yaml"))[2] == ["gloss still runs, and nothing reads it"]


def test_outputs_that_come_one_behind_the_other_are_told():
    assert "rank.documents takes dense.documents and sparse.documents, one behind the other" in without("join")[2]


JOINER = "haystack.components.joiners.document_joiner.DocumentJoiner"
RANKER = "haystack.components.rankers.lost_in_the_middle.LostInTheMiddleRanker"
SPLITTER = "haystack.components.preprocessors.document_cleaner.DocumentCleaner"


def small(tmp_path, connections):
    data = {
        "metadata": {"kind": "ingest"},
        "components": {
            name: {"type": kind, "init_parameters": {}}
            for name, kind in (("clean", SPLITTER), ("rank", RANKER), ("join", JOINER))
        },
        "connections": [{"sender": sender, "receiver": receiver} for sender, receiver in connections],
        "inputs": {"documents": "clean.documents"},
        "outputs": {"documents": "join.documents"},
    }
    file = tmp_path / "small.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return load_graph(str(file))


def test_stages_without_a_guard_are_joined_by_the_names_of_their_sockets(tmp_path):
    graph = small(tmp_path, [("clean", "rank.documents"), ("rank.documents", "join.documents")])
    lines = yaml.safe_load(take_out(graph, ["rank"])[0])["connections"]
    assert lines == [{"sender": "clean.documents", "receiver": "join.documents"}]


def test_the_last_stage_hands_the_output_of_the_graph_to_the_one_before(tmp_path):
    graph = small(tmp_path, [("clean.documents", "rank.documents"), ("rank.documents", "join.documents")])
    assert yaml.safe_load(take_out(graph, ["join"])[0])["outputs"] == {"documents": "rank.documents"}


def test_the_first_stage_hands_the_input_of_the_graph_to_the_one_behind(tmp_path):
    graph = small(tmp_path, [("clean.documents", "rank.documents"), ("rank.documents", "join.documents")])
    assert yaml.safe_load(take_out(graph, ["clean"])[0])["inputs"] == {"documents": ["rank.documents"]}
