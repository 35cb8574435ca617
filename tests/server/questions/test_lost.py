"""Where a run lost a document."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.errors import KhubError, QueryError
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.questions.lost import End, where_lost
from khub.server.reads.hub_reads import reader
from khub.server.traces.index import find_trace, read_traces

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def many(pipelines, notes, fill_once):
    """A collection with more passages than a record keeps of a list."""
    for number in range(30):
        text = f"# Bird {number}\n\nHerons of lake {number} wade in water, like {'many ' * number}others.\n"
        (notes / f"bird{number:02}.md").write_text(text, encoding="utf-8")
    (notes / "coffee.md").write_text("# Coffee\n\nRoast the beans until they crack.\n", encoding="utf-8")

    def filled():
        assert not ingest([str(notes)], "demo").failed

    fill_once("many birds", filled)


def asked(query="How do herons wade in water?", **more):
    return find_trace(ask(query, "demo", **more).trace_id)


def doc_id(name):
    (row,) = reader().named(source=name)
    return row["doc_id"]


def test_what_is_cited_was_not_lost_and_nothing_is_asked_again(pipelines, notes):
    ingest([str(notes)], "demo")
    record = asked()
    found = where_lost(record, doc_id("birds.md"))
    assert (found.ways[0].end, found.trace_id, found.changed_since) == (End.SHOWN, None, False)
    assert len(read_traces(9, "query")) == 1


def test_the_stage_that_dropped_it_is_told_with_the_rank_before(many):
    record = asked(top_k=2)
    cited = {citation["doc_id"] for citation in record["stages"][-1]["output"]["answer"]["citations"]}
    lost = next(doc for doc in (doc_id(f"bird{n:02}.md") for n in range(30)) if doc not in cited)
    found = where_lost(record, lost)
    best = found.ways[0]
    assert best.end is End.DROPPED
    last = next(step for step in reversed(best.steps) if step.place)
    assert last.ranking.name in best.lost_at.before
    assert found.legs == []


def test_beyond_what_the_record_keeps_the_question_is_asked_again_and_followed_to_the_end(many):
    record = asked()
    kept = {d["id"] for s in record["stages"] for d in (s["output"].get("documents") or {}).get("documents", [])}
    beyond = [
        d for d in (doc_id(f"bird{n:02}.md") for n in range(30)) if reader().chunks_of_section(d, "")[0].id not in kept
    ]
    found = where_lost(record, beyond[0])
    assert found.trace_id not in (None, record["trace_id"])
    assert find_trace(found.trace_id)["query"] == record["query"]
    ranks = [step.place.rank for step in found.ways[0].steps if step.place]
    assert max(ranks) > 20
    assert found.ways[0].end is End.DROPPED


def test_what_no_leg_found_is_told_with_the_reasons_of_the_legs(many, pipelines):
    query = pipelines / "query.yaml"
    text = query.read_text(encoding="utf-8").replace("{top_k: 30}", "{top_k: 3, per_language: 0}")
    query.write_text(text, encoding="utf-8")
    found = where_lost(asked(), doc_id("coffee.md"))
    assert found.ways[0].end is End.NEVER_FOUND
    dense, sparse = sorted(found.legs, key=lambda leg: leg.name)
    assert dense.cosine < dense.least
    assert (sparse.used, sparse.cosine) == (True, None)
    assert "heron" in found.missing
    assert not found.is_filtered


def test_a_leg_that_was_left_out_says_so(many):
    found = where_lost(asked(legs=["sparse"]), doc_id("coffee.md"))
    assert {leg.name: leg.used for leg in found.legs} == {"dense": False, "sparse": True}


def test_a_filter_that_keeps_it_out_is_told(many):
    only = {"field": "meta.source", "operator": "glob", "value": "*birds.md"}
    found = where_lost(asked(filters=only), doc_id("coffee.md"))
    assert found.is_filtered
    assert found.ways[0].end is End.NEVER_FOUND


def test_a_passage_that_stands_for_one_that_says_the_same_is_named(pipelines, notes):
    (notes / "copy.md").write_text((notes / "birds.md").read_text(encoding="utf-8"), encoding="utf-8")
    ingest([str(notes)], "demo")
    record = asked()
    cited = {citation["doc_id"] for citation in record["stages"][-1]["output"]["answer"]["citations"]}
    (lost,) = {doc_id("copy.md"), doc_id("birds.md")} - cited
    found = where_lost(record, lost)
    assert found.ways[0].lost_at.name == "select"
    assert reader().chunk(found.same_as).meta["doc_id"] in cited


def test_what_came_after_the_run_is_told(pipelines, notes):
    ingest([str(notes)], "demo")
    record = asked()
    (notes / "late.md").write_text("# Late\n\nHerons wade in water, too, in the evening.\n", encoding="utf-8")
    ingest([str(notes)], "demo")
    found = where_lost(record, doc_id("late.md"))
    assert found.changed_since
    assert found.trace_id


@pytest.mark.parametrize("level", ["off", "minimal"])
def test_the_new_run_is_followed_whatever_is_traced(many, monkeypatch, level):
    record = {**asked(), "stages": []}  # nothing is known but what was asked
    told = (where_lost(record, doc_id(f"bird{number:02}.md")) for number in range(30))
    dropped = next(found for found in told if found.ways[0].end is End.DROPPED)
    monkeypatch.setenv("KHUB_TRACE", level)
    again = where_lost(record, dropped.doc_id).ways[0]
    assert (again.end, again.lost_at.name) == (End.DROPPED, dropped.ways[0].lost_at.name)


def test_one_passage_of_a_document(many):
    chunk = reader().chunks_of_section(doc_id("coffee.md"), "")[0]
    assert [way.chunk_id for way in where_lost(asked(), doc_id("coffee.md"), chunk.id).ways] == [chunk.id]


def test_a_run_says_nothing_of_documents_of_other_collections(many, notes):
    ingest([str(notes / "coffee.md")], "drinks")
    (row,) = reader().documents("drinks", 0, 2)
    with pytest.raises(QueryError, match="'drinks'"):
        where_lost(asked(), row["doc_id"])


def test_nobody_is_told_of_a_document_that_is_closed(many):
    record = asked()
    closed = doc_id("coffee.md")
    with calling_as(Caller("desk", levels=("public",))), pytest.raises(KhubError):
        where_lost(record, closed)


@pytest.mark.parametrize(
    "change",
    [{"query": {"chars": 7}}, {"query": "x" * 500}, {"asked_with": {"filters": {"conditions": {"count": 30}}}}],
)
def test_a_question_that_is_not_kept_whole_is_not_asked_again(many, change):
    with pytest.raises(QueryError):
        where_lost({**asked(), **change}, doc_id("coffee.md"))
