import pytest

from khub.server.graphs.load import load_graph
from khub.server.graphs.mermaid import mermaid
from khub.server.graphs.view import Link, class_text, view_graph

pytestmark = pytest.mark.unit


def test_view_tells_parts_links_and_what_must_be_given(fixed_graphs):
    view = view_graph(load_graph("query"))
    assert view.parts["dense"] == "DenseRetriever(TextEmbedder, StoreTemplate)"
    assert view.parts["join"] == "DocumentJoiner"
    assert view.links[0] == Link("route", "question", "analyze", "question")
    assert len(view.links) == (fixed_graphs / "query.yaml").read_text(encoding="utf-8").count("sender: ")
    assert (view.kind, view.required, view.outputs) == ("query", {"query"}, {"answer": "answer.answer"})
    assert view.description.startswith("Hybrid search")


def test_connections_without_sockets_are_shown_with_them(write_graph, query_text):
    old = "{sender: find.documents, receiver: answer.documents}"
    write_graph("query", query_text.replace(old, "{sender: find, receiver: answer.documents}"))
    assert view_graph(load_graph("query")).links == [Link("find", "documents", "answer", "documents")]


def test_class_of_what_holds_several_others():
    entry = {"type": "a.B", "init_parameters": {"x": {"type": "c.D"}, "n": 1, "y": {"type": "e.F"}, "z": {"k": "a.b"}}}
    assert class_text(entry) == "B(D, F)"
    assert class_text({"type": "a.B"}) == "B"


def test_mermaid(write_graph, query_text):
    text = query_text.replace("  find:", '  "找 \\"x\\"|<b>":').replace("find.", '找 "x"|<b>.')
    text = text.replace('sender: 找 "x"|<b>.documents', "sender: '找 \"x\"|<b>.documents'")
    text = text.replace('query: [找 "x"|<b>.query,', "query: ['找 \"x\"|<b>.query',")
    write_graph("query", text)
    assert mermaid(view_graph(load_graph("query"))).splitlines() == [
        "flowchart TD",
        '  c0["<b>找 #34;x#34;#124;#60;b#62;</b><br>Find"]',
        '  c1["<b>answer</b><br>Answer"]',
        '  i0(["query *"])',
        '  i0 -.->|"query"| c0',
        '  i0 -.->|"query"| c1',
        '  i1(["collection"])',
        '  i1 -.->|"collection"| c0',
        '  i2(["limit"])',
        '  i2 -.->|"limit"| c0',
        '  c0 -->|"documents"| c1',
        '  o0(["answer"])',
        '  c1 -.->|"answer"| o0',
        '  o1(["documents"])',
        '  c0 -.->|"documents"| o1',
    ]


def test_mermaid_names_both_ends_of_a_flow_where_they_differ(fixed_graphs):
    text = mermaid(view_graph(load_graph("query")))
    assert 'c2 -->|"leg → legs"| c6' in text
