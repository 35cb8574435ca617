"""A graph inside of another one, changed."""

import pytest

from khub.components.subgraph import Subgraph, changed_graph
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

JOINER = "haystack.components.joiners.document_joiner.DocumentJoiner"
GRAPH = {
    "metadata": {"kind": "query", "guard": {"timeout_s": 5}},
    "components": {
        "a": {"type": "A", "init_parameters": {"size": 1, "part": {"type": "P", "init_parameters": {"x": 1}}}},
        "b": {"type": "B"},
        "c": {"type": "C"},
    },
    "connections": [
        {"sender": "a.text", "receiver": "b.text"},
        {"sender": "a.text", "receiver": "c.text"},
        {"sender": "b.text", "receiver": "c.others"},
    ],
    "inputs": {"query": "a.query", "limit": "b.limit"},
    "outputs": {"answer": "c.answer"},
}


def links(graph):
    return [(link["sender"], link["receiver"]) for link in graph["connections"]]


def link(sender, receiver):
    return {"sender": sender, "receiver": receiver}


def test_parameters_are_merged_a_type_of_its_own_replaces_and_null_takes_away():
    parameters = {"size": None, "depth": 2, "part": {"init_parameters": {"y": 2}}}
    changes = {
        "metadata": {"guard": {"stages": {"a": 9}}},
        "components": {"a": {"init_parameters": parameters}, "b": {"type": "Other"}},
        "inputs": {"limit": None},
    }
    changed = changed_graph(GRAPH, changes)
    part = {"type": "P", "init_parameters": {"x": 1, "y": 2}}
    assert changed["components"]["a"] == {"type": "A", "init_parameters": {"depth": 2, "part": part}}
    assert changed["components"]["b"] == {"type": "Other"}
    assert changed["metadata"]["guard"] == {"timeout_s": 5, "stages": {"a": 9}}
    assert changed["inputs"] == {"query": "a.query"}
    assert links(changed) == links(GRAPH)
    assert "depth" not in str(GRAPH)


def test_a_stage_put_between_two_takes_the_place_of_their_connection_and_of_no_other():
    new = [link("a.text", "n.words"), link("n.found", "m.text"), link("m.text", "b.text"), link("n.more", "c.others")]
    changed = changed_graph(GRAPH, {"components": {"n": {"type": "N"}, "m": {"type": "M"}}, "connections": new})
    assert links(changed) == [("a.text", "c.text"), ("b.text", "c.others"), *links({"connections": new})]


def test_connections_of_a_stage_that_is_taken_away_go_with_it():
    assert links(changed_graph(GRAPH, {"components": {"b": None}})) == [("a.text", "c.text")]


@pytest.mark.parametrize(
    "changes", [{"parts": {}}, {"components": None}, {"connections": [{"sender": "a.text"}]}], ids=str
)
def test_changes_of_another_form_are_refused(changes):
    with raises_code("graph_parameter_invalid", "'changes'", "metadata, components"):
        changed_graph(GRAPH, changes)


def test_plain_haystack_builds_a_changed_graph(monkeypatch, tmp_path):
    monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path))
    (tmp_path / "join.yaml").write_text(
        f"components: {{join: {{type: {JOINER}}}}}\n"
        "inputs: {documents: join.documents}\noutputs: {documents: join.documents}\n",
        encoding="utf-8",
    )
    part = Subgraph("join", {"components": {"join": {"init_parameters": {"top_k": 3}}}})
    assert part.pipeline.get_component("join").top_k == 3
