"""A document store that cannot be used: said once, nothing is left of what is new, and nothing is lost of the rest."""

import pytest

import khub.server.library.ingest
from khub.components.catalog.catalog import open_catalog
from khub.components.stores.chroma_store import ChromaStore
from khub.components.stores.store_template import StoreTemplate
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

FAILS = ("store_unreachable", "ChromaStore", "ConnectionError: refused")


def down(*_args, **_kwargs):
    raise ConnectionError("refused")


@pytest.mark.parametrize("step", ["from_dict", "count_documents", "write_documents"])
def test_new_collection_is_taken_back_and_the_reason_is_said_once(pipelines, notes, monkeypatch, step):
    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(ChromaStore, step, down)
        with raises_code(*FAILS) as told:
            ingest([str(notes)], graph_name="ingest_fast")
    assert "files are done" not in told.value.message
    catalog = open_catalog()
    assert catalog.collections.names() == []
    assert catalog.left_indexes.all() == []
    assert [f for leg in ("dense", "sparse") for f in (catalog.home / leg).glob("*")] == []
    for table in ("documents", "chunks", "vectors"):
        assert catalog.database.row(f"SELECT COUNT(*) FROM {table}")[0] == 0
    assert len(ingest([str(notes)], graph_name="ingest_fast").written) == 3
    assert [found.findings.problems for found in diagnose(full=True)] == [[]]


def test_collection_that_was_there_before_stays(pipelines, notes, monkeypatch):
    open_catalog().collections.create("default")
    monkeypatch.setattr(ChromaStore, "count_documents", down)
    with raises_code(*FAILS):
        ingest([str(notes)], graph_name="ingest_fast")
    assert open_catalog().collections.names() == ["default"]


@pytest.mark.parametrize("step", ["count_documents", "write_documents"])
def test_store_that_goes_down_in_the_middle_keeps_what_came_in(pipelines, notes, monkeypatch, step):
    monkeypatch.setattr(khub.server.library.ingest, "BATCH_FILES", 1)
    calls, original = [], getattr(ChromaStore, step)

    def goes_down(*args, **kwargs):
        calls.append(step)
        return original(*args, **kwargs) if len(calls) < 2 else down()

    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(ChromaStore, step, goes_down)
        with raises_code(*FAILS, "1 of 3 files"):
            ingest([str(notes)], graph_name="ingest_fast")
    catalog = open_catalog()
    assert len(catalog.documents.of_collection("default", "ready")) == 1
    assert catalog.index_states.state("default").dirty == (step == "write_documents")
    answer = ask("Herons", legs=["dense", "sparse"])
    assert [leg.used for leg in answer.legs] == [step == "count_documents", True]
    result = ingest([str(notes)], graph_name="ingest_fast")
    assert (len(result.written), len(result.unchanged)) == (2, 1)
    assert [found.findings.problems for found in diagnose(full=True)] == [[]]


def test_doctor_takes_no_index_of_a_store_that_is_down_for_lost(pipelines, notes, monkeypatch):
    for name in ("down", "whole"):
        ingest([str(notes)], name, graph_name="ingest_fast")
    original = StoreTemplate.build

    def build(template, physical, *more):
        if physical.startswith("down_"):
            raise ConnectionError("no user is let in by a-key-of-mine")
        return original(template, physical, *more)

    with monkeypatch.context() as at_this_time:
        at_this_time.setenv("STORE_API_KEY", "a-key-of-mine")
        at_this_time.setattr(StoreTemplate, "build", build)
        down_, whole = diagnose(repair=True)
    assert not down_.healthy
    assert "a-key-of-mine" not in str(down_.findings.problems)
    assert whole.healthy
    assert not open_catalog().index_states.state("down").dirty
    assert ask("Herons", "down").degraded == []
