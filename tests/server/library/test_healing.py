"""A living process mends a lost index behind the answers."""

import threading
import time

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.stores.collection_lock import CollectionLocks
from khub.server.library import healing
from khub.server.library.healing import heal_in_background
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _filled(pipelines, notes, fill_once):
    fill_once("notes by the shipped graphs", lambda: ingest([str(notes)]))


def wait_until(condition, timeout=20):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def idle():
    return not healing._healing


def test_damaged_leg_comes_back_by_itself():
    open_catalog().index_states.mark_damaged("default", "dense")
    answer = ask("herons wade", heal=True)
    assert [d.stage for d in answer.degraded] == ["dense"]
    assert answer.citations
    wait_until(idle)
    assert open_catalog().index_states.state("default").damaged == ()
    assert ask("herons wade").degraded == []


def test_one_repair_at_a_time(monkeypatch):
    started, go = threading.Event(), threading.Event()

    def slow(catalog, collection):
        started.set()
        go.wait(20)
        raise healing.KhubError("not this time")

    monkeypatch.setattr(healing, "writer_of", slow)
    assert heal_in_background("default")
    assert started.wait(10)
    assert not heal_in_background("default")
    go.set()
    wait_until(idle)
    monkeypatch.undo()
    assert heal_in_background("default")
    wait_until(idle)


def test_nothing_is_done_while_another_writes(caplog):
    catalog = open_catalog()
    catalog.index_states.mark_damaged("default", "dense")
    with CollectionLocks(catalog.home, "default").writer():
        assert heal_in_background("default")
        wait_until(idle)
    assert catalog.index_states.state("default").damaged == ("dense",)
    assert "default.writer" in caplog.text


def test_unknown_collection_is_logged(caplog):
    heal_in_background("none")
    wait_until(idle)
    assert "no collection 'none'" in caplog.text
