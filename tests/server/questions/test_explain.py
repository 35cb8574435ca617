"""Explanations of the shipped query graph, and of graphs with other stages."""

import json
import os
from pathlib import Path

import pytest

from khub.components.answer import Answer, Citation
from khub.components.value import as_json
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.questions.explain import explaining

pytestmark = pytest.mark.integration


def explained(query, **more):
    with explaining() as explanation:
        answer = ask(query, **more)
    found = explanation.of(answer, query, more.get("filters"))
    json.dumps(found, allow_nan=False)
    return answer, found


def test_results_of_each_of_several_collections_have_their_places(pipelines, notes, tmp_path):
    ingest([str(notes)], "notes")
    (tmp_path / "more.md").write_text("# Storks\n\nStorks and herons wade in water together.\n", encoding="utf-8")
    ingest([str(tmp_path / "more.md")], "birds")
    answer, found = explained("How do herons wade in water?")
    assert {citation.collection for citation in answer.citations} == {"notes", "birds"}
    assert all({"dense", "sparse", "rank"} <= set(result["stages"]) for result in found["results"][:2])


def test_every_result_at_every_stage(pipelines, notes):
    ingest([str(notes)])
    answer, found = explained("How do herons wade in water?")
    first = found["results"][0]
    assert [result["chunk_id"] for result in found["results"]] == [c.chunk_id for c in answer.citations]
    assert first["cited"]
    assert first["score"] == answer.citations[0].score
    for name in ("dense", "sparse", "join", "rank", "rerank"):
        assert first["stages"][name]["rank"] == 1
        assert first["stages"][name]["score"] > 0
    assert first["scores"]["sparse"] == first["stages"]["sparse"]["score"]
    terms = {term["term"]: term for term in first["terms"]}
    assert {"heron", "wade", "water"} <= set(terms)
    assert terms["heron"]["idf"] == found["question"]["weights"]["heron"]
    assert sum(term["bm25"] for term in first["terms"]) == pytest.approx(first["scores"]["sparse"], rel=1e-3)
    assert found["legs"] == as_json(answer.legs)
    assert [stage["name"] for stage in found["stages"]][-1] == "answer"
    assert all(stage["ms"] >= 0 for stage in found["stages"])
    assert found["filters"]["given"] is None


def test_the_legs_stand_in_one_order_whichever_begins_first(pipelines, notes):
    ingest([str(notes)])
    with explaining() as explanation:
        answer = ask("How do herons wade in water?")
    orders = []
    for first in ("dense", "sparse"):
        for stage in explanation.stages:
            if stage.span.name == first:
                stage.span.start = min(other.span.start for other in explanation.stages) - 1
        orders.append(list(explanation.of(answer, "herons", None)["results"][0]["stages"]))
    assert orders == [["dense", "sparse", "join", "rank", "rerank", "select"]] * 2


def test_a_filter_and_a_leg_left_out(pipelines, notes):
    ingest([str(notes)])
    given = {"field": "meta.doc_type", "operator": "==", "value": "text"}
    _, found = explained("Where do trout swim in cold rivers?", filters=given, legs=["sparse"])
    assert found["filters"]["given"] == given
    assert [leg["used"] for leg in found["legs"]] == [False, True]
    assert "dense" not in found["results"][0]["stages"]
    assert [term["term"] for term in found["results"][0]["terms"]]


def test_what_was_found_by_another_word_says_by_which(pipelines, notes):
    (notes / "travel.md").write_text("# Travel\n\nThe travel budget: a budget has limits.\n", encoding="utf-8")
    ingest([str(notes)])
    assert {"words": "budget", "of": "预算", "count": 2} in other_words("差旅预算", "travel.md")
    assert other_words("差旅预算", "预算.md") == []


def test_another_word_may_be_a_phrase(pipelines, notes):
    (notes / "inn.md").write_text("# Inn\n\nStay overnight, and stay overnight. A night's stay.\n", encoding="utf-8")
    ingest([str(notes)])
    Path(os.environ["KHUB_HOME"], "synonyms.txt").write_text("lodging = stay overnight\n", encoding="utf-8")
    assert other_words("lodging", "inn.md") == [{"words": "stay overnight", "of": "lodging", "count": 2}]


def other_words(query, name):
    _, found = explained(query, legs=["sparse"])
    (words,) = [result["other_words"] for result in found["results"] if result["source"].endswith(name)]
    return words


def test_what_is_not_cited_is_explained_where_nothing_is(pipelines, notes):
    ingest([str(notes)])
    answer, found = explained("quantum chromodynamics lattice gauge")
    assert answer.abstained
    assert found["results"]
    assert not any(result["cited"] for result in found["results"])
    assert "quantum" in found["results"][0]["missing"]


def test_any_graph_is_explained_by_the_names_of_its_stages(write_graph):
    write_graph("query")
    with explaining() as explanation:
        from khub.server.graphs.load import load_graph
        from khub.server.graphs.run import run_graph

        run_graph(load_graph("query"), {"query": "x", "collection": "c"})
    found = explanation.of(
        Answer("", citations=[Citation(1, "c-1", title="t", score=0.5)]),
        "x",
        None,
    )
    assert [stage["name"] for stage in found["stages"]] == ["find", "answer"]
    assert found["stages"][0]["documents"] == 2
    assert found["results"][0]["stages"] == {"find": {"rank": 2, "score": 0.5}}
    # without citations the last list of documents is told
    assert [r["chunk_id"] for r in explanation.of(Answer(""), "x", None)["results"]] == ["c-0", "c-1"]


def test_a_run_outside_of_the_block_is_not_gathered(write_graph):
    from khub.server.graphs.load import load_graph
    from khub.server.graphs.run import run_graph

    write_graph("query")
    with explaining() as explanation:
        pass
    run_graph(load_graph("query"), {"query": "x"})
    assert explanation.stages == []
