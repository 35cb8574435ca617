"""A question that names no collection goes to all that its caller may read, and has one answer."""

import asyncio
import json
import re

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import CollectionError, QueryError
from khub.components.value import as_json
from khub.server.library.ingest import ingest
from khub.server.questions import every_collection
from khub.server.questions.ask import ask, ask_async
from khub.server.traces.index import RunFilter, find_runs

pytestmark = pytest.mark.integration
HERONS, TROUT = "How do herons wade?", "Where do trout swim?"


@pytest.fixture(autouse=True)
def _three(pipelines, notes, fill_once):
    def filled():
        for name, file in (("birds", "birds.md"), ("fish", "fish.txt"), ("预算", "预算.md")):
            assert not ingest([str(notes / file)], collection=name).failed

    fill_once("three collections", filled)


def cited(answer):
    return [(one.collection, one.source.replace("\\", "/").rpartition("/")[2]) for one in answer.citations]


@pytest.mark.parametrize(
    ("query", "first"),
    [(HERONS, ("birds", "birds.md")), (TROUT, ("fish", "fish.txt")), ("酒店每晚多少钱?", ("预算", "预算.md"))],
)
def test_the_collection_that_answers_comes_first(query, first):
    answer = ask(query)
    assert cited(answer)[0] == first
    assert (answer.collection, answer.abstained) == (first[0], False)
    assert {one.name for one in answer.collections} == {"birds", "fish", "预算"}
    assert answer.trace_id in {one.trace_id for one in answer.collections}
    silent = {one.name for one in answer.collections if one.abstained}
    assert silent.isdisjoint(one.collection for one in answer.citations)
    json.dumps(as_json(answer), allow_nan=False)


@pytest.mark.parametrize("asking", [ask, lambda *given: asyncio.run(ask_async(*given))])
def test_its_runs_share_what_no_other_run_has(asking):
    asking(HERONS, "birds")
    asking(HERONS)
    asking(HERONS)
    together = [run.together for run in find_runs(RunFilter(), 0, 9).runs]
    assert {*together[6:]} == {""}
    assert [len({*part}) for part in (together[:3], together[3:6], together[:6])] == [1, 1, 2]
    found = find_runs(RunFilter(words=together[0]), 0, 9).runs
    assert {run.collection for run in found} == {"birds", "fish", "预算"}


def test_passages_of_several_collections_have_one_numbering_and_say_where_they_are_from(notes, tmp_path):
    more = tmp_path / "waders.md"
    more.write_text("# Waders\n\nHerons wade slowly through shallow rivers and wait for fish.\n", encoding="utf-8")
    assert not ingest([str(more)], collection="fish").failed
    answer = ask(HERONS)
    assert {"birds", "fish"} <= {one.collection for one in answer.citations}
    numbers = [one.id for one in answer.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    marks = [int(mark) for mark in re.findall(r"^\*\*\[(\d+)\]", answer.answer, re.MULTILINE)]
    assert marks == numbers
    assert "birds" in answer.answer
    assert len(ask(HERONS, top_k=1).citations) == 1
    assert sum(leg.hits for leg in answer.legs if leg.name == "sparse") >= 2


def test_where_none_answers_the_answer_abstains():
    answer = ask("quantum chromodynamics lattice gauge")
    assert (answer.abstained, answer.citations) == (True, [])
    assert len(answer.collections) == 3


def test_a_name_is_unknown_that_no_collection_knows():
    assert "`XK-9000`" in ask("What does the XK-9000 do to herons?").answer


def test_what_no_passage_of_any_collection_holds_is_told_in_the_first_line():
    answer = ask("How did herons wade in 2019?")
    assert list(answer.not_shown) == ["2019"]
    assert "2019" in answer.answer.partition("\n")[0]
    assert not ask(HERONS).not_shown


def test_a_field_of_a_filter_is_unknown_that_no_collection_has(notes):
    wrong = {"field": "meta.doc_typ", "operator": "==", "value": "markdown"}
    answer = ask(HERONS, filters=wrong)
    assert "doc_type" in answer.answer
    assert [one.field for one in answer.filters[0].unknown_fields] == ["doc_typ"]
    assert not ingest([str(notes / "birds.md")], collection="birds", meta={"doc_typ": "markdown"}).failed
    there = ask(HERONS, filters=wrong)
    assert cited(there)[0] == ("birds", "birds.md")
    assert not there.filters[0].unknown_fields


def test_a_title_that_heads_its_section_is_said_once(tmp_path):
    more = tmp_path / "waders.md"
    more.write_text("# Waders\n\nHerons wade slowly through shallow rivers and wait for fish.\n", encoding="utf-8")
    assert not ingest([str(more)], collection="fish").failed
    heads = re.findall(r"^\*\*\[\d+\] (.*?)\*\*", ask(HERONS).answer, re.MULTILINE)
    assert [head for head in heads if "Waders" in head]
    assert all(head.count("Waders") <= 1 for head in heads)


def test_a_caller_gets_what_it_may_read_alone():
    with calling_as(Caller("one", collections=frozenset({"fish", "预算"}))):
        answer = ask(HERONS)
        assert {one.name for one in answer.collections} == {"fish", "预算"}
        assert "birds" not in json.dumps(as_json(answer))
    with calling_as(Caller("two", collections=frozenset({"fish"}))):
        answer = ask(TROUT)
        assert (answer.collection, answer.collections) == ("fish", None)


def test_a_collection_that_cannot_be_asked_is_told_and_the_others_answer(monkeypatch):
    catalog = open_catalog().database
    with catalog.transaction() as connection:
        connection.execute("UPDATE collections SET binding = '[]' WHERE name = 'fish'")
    answer = ask(HERONS)
    assert cited(answer)[0] == ("birds", "birds.md")
    assert "fish" in {entry.collection for entry in answer.degraded}
    assert "fish" in answer.answer
    monkeypatch.setattr(every_collection, "BUDGET_S", -1)
    with pytest.raises(Exception, match="not asked"):
        ask(HERONS)


def test_mistakes_of_the_question_are_told_as_ever():
    with pytest.raises(QueryError):
        ask("  ")
    with pytest.raises(QueryError):
        ask(HERONS, top_k=0)
    with pytest.raises(CollectionError):
        ask(HERONS, "none")


def test_the_same_without_blocking():
    assert cited(asyncio.run(ask_async(TROUT))) == cited(ask(TROUT))
