import json

import pytest

import khub.server.questions.compare as module
from khub.components.errors import CollectionError, GraphError
from khub.components.value import as_json
from khub.server.library.ingest import ingest
from khub.server.questions.compare import compare, compare_all
from khub.server.questions.comparison import FailedQuestion
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration


@pytest.fixture
def graphs(pipelines, notes, monkeypatch):
    """Two graphs: the second one gives a single result, and takes no `top_k`."""
    ingest([str(notes)])
    other = pipelines / "one.yaml"
    other.write_text((pipelines / "query.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    edit(other, "  top_k: route.top_k\n", "")
    edit(other, "{top_k: 5}", "{top_k: 1}")
    return "query", "one"


def test_a_graph_beside_itself(graphs):
    found = compare("herons trout water rivers", ("query", "query"))
    assert (found.overlap, found.rbo, found.moved, found.only) == (1.0, 1.0, 0, [[], []])
    assert len(found.results) >= 2
    assert all(result.moved == 0 for result in found.results)


def test_what_one_finds_alone(graphs):
    found = compare("herons trout water rivers", graphs, top_k=5)
    json.dumps(as_json(found), allow_nan=False)
    assert [run.graph for run in found.graphs] == ["query", "one"]
    assert [run.results for run in found.graphs][1] == 1
    assert found.only[1] == []
    assert found.only[0] == [r.chunk_id for r in found.results if r.ranks[1] is None]
    assert found.results[0].ranks == [1, 1]
    assert found.overlap == round(1 / found.graphs[0].results, 4)
    assert found.collection == "default"
    for run in found.graphs:
        assert run.timings_ms["total"] > 0
        assert run.degraded == []


def test_so_many_results_are_compared(graphs):
    found = compare("herons trout water rivers", graphs, top_k=1)
    assert [run.results for run in found.graphs] == [1, 1]
    assert found.overlap == 1.0


def test_filters_hold_for_both(graphs):
    given = {"field": "meta.doc_type", "operator": "==", "value": "text"}
    found = compare("herons trout water rivers", graphs, filters=given)
    assert {result.source.rsplit(".", 1)[1] for result in found.results} == {"txt"}


def test_many_questions(graphs):
    done = []
    found = compare_all(["herons trout water", "", "酒店每晚多少钱"], graphs, on_progress=done.append)
    assert done == [1, 2, 3]
    assert [isinstance(entry, FailedQuestion) for entry in found.questions] == [False, True, False]
    summary = found.summary
    assert (summary.questions, summary.failed) == (3, 1)
    assert 0 < summary.overlap <= 1
    assert [run.graph for run in summary.graphs] == ["query", "one"]
    assert compare_all(["", " "], graphs).summary.graphs is None


def test_what_is_timed_was_asked_once_before(graphs, monkeypatch):
    asked, real = [], module.ask

    def ask(query, collection, graph, *rest):
        asked.append(f"{graph} {query}")
        return real(query, collection, graph, *rest)

    monkeypatch.setattr(module, "ask", ask)
    found = compare("herons", graphs)
    assert asked == ["query herons", "one herons"] * 2
    assert not any("warm_up" in run.timings_ms for run in found.graphs)
    asked.clear()
    compare("herons", ("query", "query"))
    assert asked == ["query herons"] * 3
    asked.clear()
    compare_all(["", "herons", "trout"], graphs)
    assert asked[1:] == [*["query herons", "one herons"] * 2, "query trout", "one trout"]


def test_mistakes(graphs):
    with pytest.raises(GraphError, match="unknown graph 'none'"):
        compare_all(["x"], ("query", "none"))
    with pytest.raises(GraphError, match="kind 'ingest'"):
        compare("herons", ("query", "ingest"))
    with pytest.raises(CollectionError):
        compare("herons", graphs, collection="none")
    assert compare("herons trout water rivers", graphs, top_k=1).graphs[1].results == 1
