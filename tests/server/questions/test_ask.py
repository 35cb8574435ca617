"""A question through the shipped query graph."""

import json
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError, FilterError, GraphError, KhubError, QueryError
from khub.components.value import as_json
from khub.server.library.collections import delete_collection
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import edit, name_parts

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _filled(pipelines, notes, fill_once):
    fill_once("notes by the shipped graphs", lambda: ingest([str(notes)]))


def files(answer):
    return [Path(c.source).name for c in answer.citations]


@pytest.mark.parametrize(
    ("query", "file"),
    [("How do herons wade?", "birds.md"), ("Where do trout swim?", "fish.txt"), ("酒店每晚多少钱?", "预算.md")],
)
def test_answer_cites_the_passage(query, file):
    answer = ask(query)
    assert files(answer)[0] == file
    assert file in answer.answer
    assert (answer.abstained, answer.collection, answer.graph, answer.degraded) == (
        False, "default", "query", [],
    )  # fmt: skip
    assert answer.trace_id
    assert answer.timings_ms["total"] > 0
    json.dumps(as_json(answer), allow_nan=False)


def test_question_without_an_answer_abstains():
    answer = ask("quantum chromodynamics lattice gauge")
    assert (answer.abstained, answer.citations) == (True, [])


def test_top_k_and_legs():
    assert len(ask("water rivers", top_k=1).citations) == 1
    legs = {leg.name: leg.used for leg in ask("herons", legs=["sparse"]).legs}
    assert legs == {"dense": False, "sparse": True}


def test_filter():
    by_type = {"field": "meta.doc_type", "operator": "==", "value": "text"}
    assert set(files(ask("herons water rivers trout", filters=by_type))) == {"fish.txt"}


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"query": "  "}, QueryError),
        ({"top_k": 0}, QueryError),
        ({"legs": ["x"]}, QueryError),
        ({"filters": {"field": "x"}}, FilterError),
        ({"collection": "none"}, CollectionError),
        ({"graph_name": "ingest"}, GraphError),
        ({"graph_name": "none"}, GraphError),
    ],
)
def test_mistakes_are_errors_of_the_hub(more, error):
    with pytest.raises(error) as caught:
        ask(**{"query": "herons", **more})
    assert isinstance(caught.value, KhubError)
    assert "\n" not in str(caught.value)


def test_small_talk_names_no_collection_where_there_are_several(notes):
    assert ask("hello").collection == "default"
    for name in ("birds", "fish"):
        ingest([str(notes)], collection=name)
    delete_collection("default")
    for query in ("你好", "What can you search?"):
        answer = ask(query)
        assert (answer.intent, answer.collection, answer.degraded) == ("chat", "", [])
    assert "birds" in answer.answer
    assert {one.name for one in ask("How do herons wade?").collections} == {"birds", "fish"}
    with pytest.raises(CollectionError, match="nowhere"):
        ask("hello", collection="nowhere")


def test_a_hub_without_collections_says_how_to_fill_one():
    delete_collection("default")
    with pytest.raises(CollectionError, match="khub ingest"):
        ask("hello")


def test_edited_graph_counts_at_the_next_question(pipelines):
    assert len(ask("water rivers trout herons").citations) > 1
    edit(pipelines / "query.yaml", "{top_k: 5}", "{top_k: 1}")
    assert len(ask("water rivers trout herons").citations) == 1


def test_other_store_in_the_graph_leaves_the_answer_to_the_keyword_leg(pipelines):
    name_parts(pipelines / "query.yaml", pipelines / "ingest.yaml", distance_function="l2")
    answer = ask("herons")
    assert files(answer)[0] == "birds.md"
    assert [d.stage for d in answer.degraded] == ["dense"]
    assert "leave the template out of the query graph" in answer.degraded[0].reason


def test_lost_leg_is_reported_and_healed_only_when_wanted(monkeypatch):
    healed = []
    monkeypatch.setattr("khub.server.library.healing.heal_in_background", healed.append)
    ask("herons", heal=True)
    open_catalog().index_states.mark_damaged("default", "dense")
    answer = ask("herons wade")
    assert files(answer)[0] == "birds.md"
    assert [d.stage for d in answer.degraded] == ["dense"]
    assert healed == []
    ask("herons wade", heal=True)
    assert healed == ["default"]
