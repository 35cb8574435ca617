"""A recording on the pages: cited by its time, and played from there."""

import pytest

from khub.components.catalog.access import Caller
from khub.components.converters.speech.speech_reader import SpeechReader
from khub.dashboard.parts import player
from khub.server.access_right import Access
from khub.server.library.ingest import ingest
from khub.server.reads.hub_reads import reader
from tests.components.converters.speech.spoken import tone
from tests.dashboard.conftest import COLLECTION, reading, texts, use_reader

pytestmark = pytest.mark.integration

SAID = "[0:00] Welcome, everybody.\n\n[1:05] The bilge pump of the ferry is serviced in Rotterdam.\n"
BILGE = SAID.index("[1:05]")


@pytest.fixture
def talk(hub, tmp_path, monkeypatch):
    """The row of a recording; what is said in it is given."""
    fields = {"text": SAID, "time_marks": [[0, 0], [BILGE, 65]], "title": None, "metadata": {"duration": "1:10"}}
    monkeypatch.setattr(SpeechReader, "read", lambda self, path, sha256: dict(fields))
    done = ingest([str(tone(tmp_path / "talk.wav", [True] * 3))], COLLECTION)
    assert not done.failed
    return next(row for row in reader().documents(COLLECTION, 0, 10) if row["doc_type"] == "audio")


def played(page):
    """Return from which second each player starts."""
    return [one.proto.start_time for kind in ("audio", "video") for one in page.get(kind)]


def test_a_recording_is_played_from_the_time_in_the_address(talk, open_page):
    assert played(open_page("documents", doc=talk["doc_id"], time="1:05")) == [65]
    assert played(open_page("documents", doc=talk["doc_id"])) == [0]
    assert played(open_page("documents", doc=talk["doc_id"], time="nonsense")) == [0]


def test_passages_have_their_time(talk, open_page):
    assert "[0:00]" in texts(open_page("documents", doc=talk["doc_id"], view="passages"))


def test_an_answer_is_cited_by_its_time_and_played_from_there(talk, open_page):
    page = open_page("ask", q="Where is the bilge pump of the ferry serviced?", collection=COLLECTION)
    first = reading(page)["passages"][0]
    assert (first["page"], first["address"]["time"], "[1:05]" in first["where"]) == (None, "1:05", True)
    assert played(use_reader(page, {"shown": {"number": 1, "page": None}})) == [65]


def test_who_may_not_see_all_of_it_hears_nothing(talk, open_page, monkeypatch):
    who = Caller("guest", levels=("public",))
    for place in ("khub.dashboard.page", "khub.dashboard.visitor"):
        monkeypatch.setattr(f"{place}.visitor", lambda: (Access.READ, who))
    assert played(open_page("documents", doc=talk["doc_id"], time="1:05")) == []


def test_a_large_recording_is_not_held_in_memory(talk, open_page, monkeypatch):
    monkeypatch.setattr(player, "MOST_BYTES", 100)
    page = open_page("documents", doc=talk["doc_id"])
    assert played(page) == []
    assert "too large" in texts(page)
