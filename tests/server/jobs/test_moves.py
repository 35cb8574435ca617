"""Documents move to another collection with what people said of them, and are never in none."""

from pathlib import Path

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import ClosedError, KhubError
from khub.server.http.asked_ingests import ask_for_sent
from khub.server.http.asked_moves import ask_to_move
from khub.server.jobs.deletions import delete_known_documents
from khub.server.jobs.job_work import run_job
from khub.server.jobs.service_jobs import ask_for_ingest, job_of, new_job_id
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.uploads import uploads_of
from khub.server.questions.ask import ask

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _shipped(pipelines, converted_here):
    pass


@pytest.fixture
def notes(tmp_path):
    """A folder of two notes, which lie in the collection `birds`."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("heron", "stork"):
        (folder / f"{name}.md").write_text(f"# A {name}\n\nThe {name} nests at the lake.\n", encoding="utf-8")
    assert not ingest([str(folder)], "birds").failed
    return folder


def row(collection, name):
    rows = open_catalog().documents.of_collection(collection) if open_catalog().collections.exists(collection) else []
    return next((one for one in rows if one["source"].endswith(name)), None)


def send(tmp_path, name, text, collection="birds"):
    part = tmp_path / "part"
    part.write_text(text, encoding="utf-8")
    job = ask_for_sent(IngestRequest(collection), [(part, name)], new_job_id())
    run_job(job["job_id"])
    return row(collection, name)


def move(*rows, target="archive"):
    job = ask_to_move(rows, target, "ingest")
    run_job(job["job_id"])
    return job_of(job["job_id"])


def failures(job):
    assert job["state"] == "finished", job
    return [one["error"] for one in job["result"]["failures"]]


def test_a_document_is_found_there_and_here_no_more(notes):
    job = move(row("birds", "heron.md"))

    assert failures(job) == []
    assert (row("birds", "heron.md"), row("archive", "heron.md")["status"]) == (None, "ready")
    assert row("birds", "stork.md")
    assert (notes / "heron.md").exists()
    assert "heron" in ask("Where does the heron nest?", "archive").answer
    assert all("heron" not in cited.text for cited in ask("Where does the heron nest?", "birds").citations)


def test_what_people_said_of_it_comes_along(notes):
    edit_document(row("birds", "heron.md"), "The grey heron", {"tags": ["water"], "access_level": "secret"})
    edit_document(row("birds", "stork.md"), None, {"team": "roofs"})
    job = move(row("birds", "heron.md"), row("birds", "stork.md"))

    assert failures(job) == []
    heron, stork = row("archive", "heron.md"), row("archive", "stork.md")
    assert (heron["title"], heron["meta"]["tags"], heron["meta"]["access_level"]) == (
        "The grey heron",
        ["water"],
        "secret",
    )
    assert (stork["meta"]["team"], stork["meta"].get("access_level")) == ("roofs", None)
    assert open_catalog().documents.of_collection("birds") == []
    assert (job["progress"]["done"], job["progress"]["total"]) == (2, 2)


def test_a_file_that_was_sent_has_its_place_there(tmp_path):
    sent = send(tmp_path, "heron.md", "# Heron\n\nHerons eat fish.\n")
    assert failures(move(sent)) == []
    there = Path(row("archive", "heron.md")["source"])
    assert there == uploads_of("archive") / "heron.md"
    assert there.read_text(encoding="utf-8").startswith("# Heron")
    assert not Path(sent["source"]).exists()
    assert failures(move(row("archive", "heron.md"), target="birds")) == [], "and back"
    assert row("birds", "heron.md")
    assert not there.exists()


def test_another_file_of_that_name_is_not_replaced(tmp_path):
    there = send(tmp_path, "heron.md", "# Heron\n\nThe one of the archive.\n", "archive")
    sent = send(tmp_path, "heron.md", "# Heron\n\nHerons eat fish.\n")
    with pytest.raises(KhubError) as refused:
        move(sent)
    assert refused.value.code == "name_taken"
    assert (row("archive", "heron.md")["sha256"], row("birds", "heron.md")["sha256"]) == (
        there["sha256"],
        sent["sha256"],
    )


def test_one_that_another_program_syncs_stays(tmp_path):
    """It would lie among the synced files there, whose own program takes it for gone, and come again here."""
    synced = send(tmp_path, "synced/lake.md", "# Lake\n\nHerons nest at the lake.\n")
    with pytest.raises(KhubError, match="follows a source"):
        ask_to_move([synced], "archive", "ingest")
    assert row("birds", "synced/lake.md")["status"] == "ready"


@pytest.mark.parametrize("guess", ["# Heron\n\nThe one of the archive.\n", "# Heron\n\nAnother one.\n"])
def test_what_is_in_a_closed_file_is_not_told_by_whether_it_is_the_same(tmp_path, guess):
    closed = send(tmp_path, "heron.md", "# Heron\n\nThe one of the archive.\n", "archive")
    edit_document(closed, None, {"access_level": "secret"})
    edit_document(send(tmp_path, "heron.md", guess), None, {"access_level": "public"})
    with calling_as(Caller("limited", ("public",))), pytest.raises(ClosedError):
        ask_to_move([row("birds", "heron.md")], "archive", "ingest")


def test_one_that_was_begun_goes_on(notes):
    """The job's process was killed between its reading there and its deletion here."""
    heron = row("birds", "heron.md")
    assert not ingest([heron["source"]], "archive").failed
    assert failures(move(heron)) == []
    assert (row("birds", "heron.md"), row("archive", "heron.md")["status"]) == (None, "ready")


def test_one_that_cannot_be_read_there_stays(notes):
    heron, stork = row("birds", "heron.md"), row("birds", "stork.md")
    job = ask_to_move([heron, stork], "archive", "ingest")
    (notes / "heron.md").write_bytes(b"")
    run_job(job["job_id"])
    assert job_of(job["job_id"])["result"]["failed"] == 1
    assert row("birds", "heron.md")["status"] == "ready"
    assert (row("birds", "stork.md"), row("archive", "stork.md")["status"]) == (None, "ready")


def test_one_whose_file_has_changed_meanwhile_stays_in_both(notes):
    job = ask_to_move([row("birds", "heron.md")], "archive", "ingest")
    (notes / "heron.md").write_text("# A heron\n\nThe heron has moved house.\n", encoding="utf-8")
    run_job(job["job_id"])
    assert len(failures(job_of(job["job_id"]))) == 1
    assert row("birds", "heron.md")["status"] == row("archive", "heron.md")["status"] == "ready"


def test_one_that_a_job_is_about_to_bring_anew_stays(notes):
    heron = row("birds", "heron.md")
    waiting = ask_for_ingest(new_job_id(), [heron["source"]], "birds", "ingest", {})
    assert len(failures(move(heron))) == 1
    run_job(waiting["job_id"])
    assert job_of(waiting["job_id"])["result"]["unchanged"] == 1, "it was not dropped from that job"


def test_one_that_was_deleted_meanwhile_does_not_come_back(notes):
    heron = row("birds", "heron.md")
    job = ask_to_move([heron], "archive", "ingest")
    delete_known_documents([heron["doc_id"]])
    run_job(job["job_id"])
    assert job_of(job["job_id"])["state"] == "finished"
    assert row("archive", "heron.md") is None


def test_what_belongs_to_something_else_is_refused_with_a_reason(notes, tmp_path):
    heron = row("birds", "heron.md")
    with pytest.raises(KhubError, match="already"):
        ask_to_move([heron], "birds", "ingest")
    with pytest.raises(KhubError, match="row of a table"):
        ask_to_move([{**heron, "source": f"{tmp_path}/table.csv#row=1"}], "archive", "ingest")
    with pytest.raises(KhubError, match="belongs to"):
        ask_to_move([{**heron, "source": f"{tmp_path}/mail.eml!/heron.md"}], "archive", "ingest")
    with pytest.raises(KhubError, match="is gone"):
        ask_to_move([{**heron, "source": f"{tmp_path}/nowhere.md"}], "archive", "ingest")
    assert open_catalog().jobs.listed() == []
