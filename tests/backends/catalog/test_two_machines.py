"""Two machines with one catalog in PostgreSQL: what one writes, the other finds."""

import os
import time

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import RetrievalError, StoreError
from khub.components.home import at_home
from khub.components.retrievers.passages import Passages
from khub.components.stores import replica
from khub.components.stores.replica import PATIENCE_S
from khub.server.library.collections import delete_documents
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.error_codes import raises_code

psycopg = pytest.importorskip("psycopg", reason="pip install psycopg")
pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def one_catalog(new_database, monkeypatch, converted_here):
    monkeypatch.setenv("KHUB_DATABASE_URL", new_database())
    yield
    close_all()


def close_all():
    from khub.components.catalog import postgres_database

    postgres_database.close_all()


@pytest.fixture
def machines(tmp_path):
    return tmp_path / "first", tmp_path / "second"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "herons.md").write_text("# Herons\n\nHerons wade in shallow water at dawn.\n", encoding="utf-8")
    (folder / "leave.md").write_text("# 休假\n\n婚假为十天，须提前两周申请。\n", encoding="utf-8")
    return folder


def found(question, **more):
    answer = ask(question, "default", **more)
    assert not answer.degraded
    return {citation.title for citation in answer.citations}


def state_of(answer):
    return [(citation.chunk_id, citation.score) for citation in answer.citations]


def answers_of_both_legs():
    questions = ("herons at dawn", "婚假几天")
    return [ask(text, "default", legs=legs) for text in questions for legs in (None, ["dense"], ["sparse"])]


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def test_what_one_machine_writes_the_other_finds_by_both_legs_in_the_same_order(machines, notes):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
        answers = [
            ask(text, "default", legs=legs) for text in ("herons at dawn", "婚假几天") for legs in (None, ["sparse"])
        ]
    with at_home(second):
        again = [
            ask(text, "default", legs=legs) for text in ("herons at dawn", "婚假几天") for legs in (None, ["sparse"])
        ]
    assert [state_of(answer) for answer in again] == [state_of(answer) for answer in answers]
    assert all(answer.citations and not answer.degraded for answer in again)
    assert not (second / "catalog.sqlite3").exists()


@pytest.mark.parametrize("leg", ["sparse", "dense"])
def test_what_is_replaced_while_it_is_looked_for_is_found(machines, notes, monkeypatch, leg):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" in found("herons at dawn", legs=[leg])
    fetch, replaced = Passages.fetch, []

    def replaced_meanwhile(self, *ids):
        if not replaced:
            replaced.append(ids)
            write(notes, "herons.md", "# Herons\n\nHerons wade in shallow water at dusk and at dawn.\n")
            with at_home(first):
                ingest([str(notes)], graph_name="ingest_fast")
        return fetch(self, *ids)

    monkeypatch.setattr(Passages, "fetch", replaced_meanwhile)
    with at_home(second):
        answer = ask("herons at dawn", "default", legs=[leg])
    assert replaced
    assert any("dusk" in citation.text for citation in answer.citations)


def test_a_change_a_new_file_and_a_deletion_are_followed_one_by_one(machines, notes):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" in found("herons")
        before = open_catalog().index_states.state("default")
    for name, text, question, title in (
        ("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n", "do otters hold hands", "Otters"),
        ("herons.md", "# Herons\n\nHerons nest in tall pine trees.\n", "tall pine trees", "Herons"),
    ):
        write(notes, name, text)
        with at_home(first):
            ingest([str(notes)], graph_name="ingest_fast")
        with at_home(second):
            for legs in (["sparse"], ["dense"]):
                assert title in found(question, legs=legs)
    with at_home(first):
        otters = next(row for row in open_catalog().documents.of_collection("default") if row["title"] == "Otters")
        delete_documents([otters["doc_id"]], "default")
    with at_home(second):
        assert "Otters" not in found("do otters hold hands")
        after = open_catalog().index_states.state("default")
        assert [one.findings.problems for one in diagnose("default", full=True)] == [[]]
    assert (after.sparse_generation, after.dense_generation) == (before.sparse_generation, before.dense_generation)


def test_both_machines_write_and_each_is_whole(machines, notes):

    for number in range(3):
        for home in machines:
            write(
                notes,
                f"{home.name}-{number}.md",
                f"# {home.name} {number}\n\nWord{number} of the {home.name} machine.\n",
            )
            with at_home(home):
                ingest([str(notes)], graph_name="ingest_fast")
    for home in machines:
        with at_home(home):
            assert len(open_catalog().documents.of_collection("default")) == 8
            assert {"first 2", "second 2"} <= found("word2 of the machine", top_k=8)
            assert [one.findings.problems for one in diagnose("default", full=True)] == [[]]


def test_a_passage_that_two_documents_have_is_found_when_the_one_that_the_indexes_hold_goes(machines, notes):
    first, second = machines
    text = "# Bees\n\n" + "Bees dance to tell each other where the lime trees are in bloom this week. " * 6
    write(notes, "a.md", text)
    write(notes, "b.md", text.replace("# Bees", "# Bees again"))
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert found("where do the lime trees bloom")
    with at_home(first):
        doc = next(row for row in open_catalog().documents.of_collection("default") if row["source"].endswith("a.md"))
        delete_documents([doc["doc_id"]], "default")
    with at_home(second):
        assert "Bees again" in found("where do the lime trees bloom")
        assert [one.findings.problems for one in diagnose("default", full=True)] == [[]]


def test_an_index_that_is_too_far_behind_is_built_anew(machines, notes, monkeypatch):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" in found("herons")
        before = open_catalog().index_states.state("default")
    monkeypatch.setattr("khub.components.catalog.changes.KEPT", 1)
    for number in range(3):
        write(notes, f"{number}.md", f"# Note {number}\n\nKingfisher number {number}.\n")
        with at_home(first):
            ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert {"Note 0", "Note 1", "Note 2"} <= found("kingfisher")
        assert open_catalog().index_states.state("default").sparse_generation != before.sparse_generation
        assert [one.findings.problems for one in diagnose("default", full=True)] == [[]]


def test_a_collection_that_was_deleted_and_made_again_is_another_one(machines, notes):
    from khub.server.library.collections import delete_collection

    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" in found("herons")
    with at_home(first):
        delete_collection("default")
        (notes / "herons.md").unlink()
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" not in found("herons wade")
        assert [one.findings.problems for one in diagnose("default", full=True)] == [[]]


def test_a_question_waits_for_a_while_and_then_says_how_far_behind_it_is(machines, notes, monkeypatch):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    with at_home(second):
        assert "Herons" in found("herons")
    write(notes, "otters.md", "# Otters\n\nOtters hold hands.\n")
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    monkeypatch.setattr(replica, "_follow", lambda *_: None)
    with at_home(second):
        started = time.monotonic()
        answer = ask("herons", "default")
        assert time.monotonic() - started < 2 * PATIENCE_S  # one wait for all of its stages
    assert {entry.stage for entry in answer.degraded} == {"dense", "sparse"}
    assert all("behind by" in entry.reason for entry in answer.degraded)
    assert answer.citations[0].title == "Herons"


def test_the_first_question_to_a_machine_waits_for_its_indexes_or_says_that_they_are_being_built(
    machines, notes, monkeypatch
):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    follow = replica._follow

    def slowly(*what):
        time.sleep(3)  # longer than a question waits for what is new
        follow(*what)

    monkeypatch.setattr(replica, "_follow", slowly)
    monkeypatch.setattr(replica, "FIRST_S", 0.1)
    with at_home(second), pytest.raises(RetrievalError, match="are being built on this machine"):
        ask("herons", "default")
    monkeypatch.setattr(replica, "FIRST_S", 60)
    time.sleep(replica.NEXT_STAGE_S)  # this is another question
    with at_home(second):
        assert "Herons" in found("herons")


def test_why_a_machine_cannot_build_its_indexes_is_told(machines, notes, monkeypatch):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
    tried = []

    def fail(*_):
        tried.append(1)
        raise StoreError("the disk is on fire", "put it out")

    monkeypatch.setattr(replica, "_follow", fail)
    with at_home(second), pytest.raises(RetrievalError, match="on fire"):
        ask("herons", "default")
    assert len(tried) <= 4  # each leg asks, and does not try again and again


def test_a_server_that_runs_goes_on_while_a_later_version_changes_the_tables(machines, notes):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
        before = [state_of(answer) for answer in answers_of_both_legs() * 4]  # often enough to be prepared
        with open_catalog().database.transaction() as connection:
            for table in ("collections", "documents", "chunks", "vectors", "images", "jobs"):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN of_a_later_version TEXT")
            connection.execute("UPDATE catalog_version SET number = number + 1")
        assert [state_of(answer) for answer in answers_of_both_legs() * 4] == before
        write(notes, "otters.md", "# Otters\n\nOtters sleep on floating kelp.\n")
        ingest([str(notes)], graph_name="ingest_fast")
        assert "Otters" in found("where do otters sleep")
    with at_home(second), raises_code("store_newer"):
        ask("herons at dawn", "default")


def test_a_word_that_is_new_on_the_other_machine_is_not_taken_for_a_slip(machines, tmp_path):
    first, second = machines
    names = ["fababarin", "fobabarin", "fubabarin", "gababarin", "gobabarin", "gubabarin", "kobabarin", "kubabarin"]
    for name in names:
        write(tmp_path, f"{names.index(name)}.md", f"# Ringing\n\nThe ringed {name} carries a code.\n")
        with at_home(first):
            ingest([str(tmp_path / f"{names.index(name)}.md")], graph_name="ingest_fast")
        with at_home(second):
            answer = ask(f"Which code does {name} carry?", "default")
            assert name in answer.citations[0].text


def test_indexes_that_are_ahead_of_a_catalog_put_back_from_a_backup_are_built_anew(
    machines, notes, new_database, postgres, monkeypatch
):
    first, _ = machines
    with at_home(first):
        ingest([str(notes)], graph_name="ingest_fast")
        close_all()
        here, copy = os.environ["KHUB_DATABASE_URL"], new_database()
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            names = [psycopg.conninfo.conninfo_to_dict(url)["dbname"] for url in (copy, here)]
            connection.execute(f"DROP DATABASE {names[0]}")
            connection.execute(f"CREATE DATABASE {names[0]} TEMPLATE {names[1]}")
        write(notes, "otters.md", "# Otters\n\nOtters sleep on floating kelp.\n")
        ingest([str(notes)], graph_name="ingest_fast")
        assert "Otters" in found("where do otters sleep")
        monkeypatch.setenv("KHUB_DATABASE_URL", copy)
        assert "Otters" not in found("where do otters sleep")
        assert diagnose()[0].healthy
