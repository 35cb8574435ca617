"""`sources.yaml` names what is followed, and a service does it when its time has come."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.components.private_files import private_folder
from khub.components.secret_pairs import SecretError, SecretPair
from khub.components.trust import decide_secret
from khub.server.jobs.job_work import run_job
from khub.server.jobs.listed_sources import listed_sources
from khub.server.jobs.source_schedule import ask_for_due
from khub.server.sources.configured import configured_sources, read_sources, seconds_of
from tests.docs.markdown import ROOT, blocks

pytestmark = pytest.mark.integration


def write(text):
    private_folder(hub_home())
    (hub_home() / "sources.yaml").write_text(text, encoding="utf-8")


@pytest.fixture
def archive(tmp_path):
    """An archive that is to be followed every hour."""
    import zipfile

    path = tmp_path / "birds.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("herons.md", "# Herons\n\nHerons wade.")
    write(f"sources:\n- {{source: 'zip:{path}', collection: birds, every: 1 hour, level: internal}}\n")
    return path


def test_an_entry_says_what_and_where_and_how_often(archive):
    (asked,) = configured_sources()
    assert (asked.address, asked.collection, asked.every_s) == (f"zip:{archive}", "birds", 3600)
    write("- git:/x/y.git\n")
    assert configured_sources()[0].collection == "default"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("sources: [{sorce: 'git:/x'}]", "entry 1"), ("sources: [{source: 'git:/x', evry: 1h}]", "every"),
        ("sources: [{source: 'git:/x', every: soon}]", "soon"), ("sources: 3", "sources:"), ("a: [", "sources.yaml"),
        ("source: []", "sources:"),
        ("sources: [{source: 'git:/x', private: maybe}]", "maybe"),
        ("sources: [{source: /a/folder}]", "entry 1"), ("sources: [{source: 'git:/x', every: 1 s}]", "1 s"),
        ("sources: [{source: 'git:/x', max_mb: many}]", "many"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_entry_is_named(text, named):
    write(text)
    (wrong,) = read_sources()[1]
    assert named in str(wrong)
    (told,) = listed_sources()
    assert named in told.problem


@pytest.mark.parametrize(
    ("slip", "line"),
    [("key: K, password: hunter2: x", 2), ("password: *hunter2", 2), ("password: !hunter2 x", 2), ("'hunter2", 3)],
)
def test_a_slip_in_the_file_is_told_without_what_stands_there(slip, line):
    write(f"sources:\n- {slip}\n")
    (wrong,) = read_sources()[1]
    (told,) = listed_sources()
    assert f"line {line}" in wrong.message
    assert "hunter2" not in f"{wrong} {told}"


@pytest.mark.parametrize("page", ["sources.md", "sources.zh-CN.md"])
def test_what_the_guide_shows_is_read(page):
    (shown,) = blocks(ROOT / "docs" / "guide" / page, "yaml")
    write(shown.text)
    assert [asked.every_s for asked in configured_sources()] == [21600, 1800, 86400]


@pytest.mark.parametrize(("text", "seconds"), [("6 hours", 21600), ("30m", 1800), ("1.5 h", 5400), ("2 days", 172800)])
def test_a_time_is_read_as_people_write_it(text, seconds):
    assert seconds_of(text) == seconds


def test_one_that_is_wrong_stops_no_other(archive):
    text = (hub_home() / "sources.yaml").read_text(encoding="utf-8")
    write(f"{text}- {{source: 'git:/x', evry: 1h}}\n{text.partition(chr(10))[2]}")
    assert [asked.collection for asked in configured_sources()] == ["birds"]
    assert len(read_sources()[1]) == 2
    assert len(ask_for_due()) == 1


def test_mailboxes_of_two_people_are_two_sources():
    write("".join(f"- {{source: 'imap://{who}:secret@mail.example/In', key: K}}\n" for who in ("ada", "bob")))
    shown = [asked.shown for asked in configured_sources()]
    assert shown == ["imap://ada@mail.example/In", "imap://bob@mail.example/In"]


def test_each_turn_is_taken_once_by_whoever_comes_first(archive):
    turns, ready = [], threading.Barrier(4)

    def look():
        ready.wait()
        turns.extend(ask_for_due())

    services = [threading.Thread(target=look) for _ in range(4)]
    for service in services:
        service.start()
    for service in services:
        service.join()
    assert len(turns) == 1
    assert ask_for_due() == []  # neither after a restart
    catalog = open_catalog()
    assert run_job(queued())
    (row,) = catalog.documents.of_collection("birds")
    assert (row["title"], row["meta"]["access_level"]) == ("Herons", "internal")
    (source,) = listed_sources()
    assert (source.problem, source.counts["items"], source.running, source.configured) == ("", 1, None, True)
    assert source.next_at > datetime.now(UTC).isoformat()


def queued():
    (row,) = listed_sources()
    return row.running


def test_why_a_source_stands_still_is_told(archive):
    archive.write_bytes(b"PK no more")
    ask_for_due()
    assert not run_job(queued())
    (source,) = listed_sources()
    assert "birds.zip" in source.problem
    later = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="seconds")
    assert open_catalog().source_states.take_turn(source.key, later, later, later)


def test_who_shortens_the_interval_does_not_wait_for_the_turn_of_before(archive):
    assert len(ask_for_due()) == 1
    assert run_job(queued())
    assert ask_for_due() == []
    file = hub_home() / "sources.yaml"
    text = file.read_text(encoding="utf-8")
    assert "every: 1 hour" in text
    file.write_text(text.replace("every: 1 hour", "every: 5 minutes"), encoding="utf-8")
    assert len(ask_for_due()) == 1
    assert run_job(queued())
    assert ask_for_due() == []


def test_a_source_that_waits_is_not_asked_for_again(archive):
    ask_for_due()
    first = queued()
    key = listed_sources()[0].key
    past = "2000-01-01T00:00:00+00:00"
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE sources SET next_at = ? WHERE key = ?", (past, key))
    assert ask_for_due() == [key]
    assert queued() == first


def test_a_source_that_was_refused_a_key_is_tried_as_soon_as_that_is_trusted(monkeypatch):
    pytest.importorskip("protego", reason="the extra [sources]")
    monkeypatch.setenv("DOCS_KEY", "secret")
    write("- {source: 'web:https://127.0.0.1:1/guide/', collection: birds, every: 1 day, key: DOCS_KEY}\n")
    assert len(ask_for_due()) == 1
    assert not run_job(queued())
    assert "khub trust --secret DOCS_KEY 127.0.0.1" in listed_sources()[0].problem
    assert ask_for_due() == []  # nobody has said anything yet
    decide_secret("DOCS_KEY", "elsewhere.example", allowed=True)
    assert ask_for_due() == []
    decide_secret("DOCS_KEY", "127.0.0.1", allowed=True)
    assert len(ask_for_due()) == 1
    assert not run_job(queued())
    assert "no public address" in listed_sources()[0].problem
    assert ask_for_due() == []  # that is no want of trust: it waits for its turn


def test_a_key_of_the_graph_is_waited_for_too(archive, monkeypatch):
    (asked,) = configured_sources()
    pair = SecretPair("MODEL_KEY", "api.example.com")

    def refuse(*_):
        raise SecretError("graph 'ingest' sends MODEL_KEY to api.example.com", "trust it", (pair,))

    with monkeypatch.context() as patch:
        patch.setattr("khub.server.sources.source_sync.prepare_ingest", refuse)
        assert len(ask_for_due()) == 1
        assert not run_job(queued())
    assert "MODEL_KEY" in listed_sources()[0].problem
    assert ask_for_due() == []
    decide_secret("MODEL_KEY", "api.example.com", allowed=True)
    assert ask_for_due() == [asked.key]
    assert run_job(queued())
    assert (listed_sources()[0].problem, ask_for_due()) == ("", [])
