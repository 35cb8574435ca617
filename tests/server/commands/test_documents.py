"""`khub list`, `khub show` and `khub delete`."""

from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.commands.documents import meant, said_of, shown_source
from khub.server.jobs.job_record import JobRecord, now

pytestmark = pytest.mark.integration


def test_list_shows_documents_of_the_only_collection(khub, khub_json, filled):
    (filled / "empty.md").write_text("", encoding="utf-8")
    khub("ingest", filled)
    lines = khub("list").stdout.splitlines()
    assert lines[0].split("\t") == ["id", "status", "type", "pages", "chunks", "lang", "title", "source"]
    rows = {line.split("\t")[-1]: line.split("\t") for line in lines[1:]}
    assert rows[str(Path("files/年假 制度.md"))][1:3] == ["ready", "markdown"]
    assert rows[str(Path("files/年假 制度.md"))][5:7] == ["zh", "年假制度"]
    assert rows[str(Path("files/empty.md"))][1] == "failed"
    assert "is empty" in rows[str(Path("files/empty.md"))][6]
    listed = khub_json("list")
    assert listed["collection"] == "default"
    assert [d["status"] for d in listed["documents"]].count("failed") == 1


def test_list_shows_collections_if_there_are_several(khub, khub_json, filled):
    khub_json("ingest", filled / "notes.txt", "-c", "手册")
    lines = khub("list").stdout.splitlines()
    assert lines[0].split("\t") == ["name", "documents", "failed", "chunks"]
    assert [line.split("\t")[:3] for line in lines[1:]] == [["default", "3", "0"], ["手册", "1", "0"]]
    assert [c["name"] for c in khub_json("list")["collections"]] == ["default", "手册"]
    assert len(khub_json("list", "-c", "手册")["documents"]) == 1


def test_list_of_an_empty_hub(khub, khub_json):
    result = khub("list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "khub ingest PATH" in result.stderr
    assert khub_json("list") == {"collections": []}


def test_show_names_what_is_known(khub, khub_json, filled):
    text = khub("show", "ember.md").stdout
    assert "Ember manual" in text
    assert "── chunk" not in text
    row = khub_json("show", "./files/ember.md")
    assert row["source"] == str(filled / "ember.md")
    assert "passages" not in row
    assert khub_json("show", row["doc_id"][:8]) == row


def test_show_gives_the_chunks_if_asked(khub, khub_json, filled):
    assert "eleven hours" in khub("show", "ember.md", "--chunks").stdout
    passages = khub_json("show", "ember.md", "--chunks")["passages"]
    assert "eleven hours" in "".join(p["content"] for p in passages)


def test_show_of_an_unknown_document(khub_json, filled):
    error = khub_json("show", "nothing.md", code=1)["error"]
    assert error["code"] == "document_unknown"
    assert "'nothing.md'" in error["message"]
    assert "khub list --collection default" in error["remedy"]


def test_delete_takes_documents_and_goes_on_after_a_mistake(khub, khub_json, filled):
    result = khub("delete", "nothing.md", "ember.md")
    assert result.exit_code == 1
    assert f"deleted {filled / 'ember.md'} (" in result.stdout
    assert "no document 'nothing.md'" in result.stderr
    assert len(khub_json("list")["documents"]) == 2
    both = khub_json("delete", "notes.txt", "nothing.md", code=1)
    assert [d["source"] for d in both["deleted"]] == [str(filled / "notes.txt")]
    assert [f["document"] for f in both["failed"]] == ["nothing.md"]


def test_nothing_is_deleted_that_a_job_is_at_work_on(khub, khub_json, filled):
    record = JobRecord("0" * 32)
    with record.held():  # as the job's process does
        about = {"kind": "ingest", "state": "running", "collection": "default", "graph": "ingest", "caller": ""}
        record.add(**about, paths=[str(filled)], started_at=now())
        for arguments in (["ember.md"], [filled / "ember.md"], ["-c", "default", "--yes"]):
            result = khub("delete", *arguments)
            assert (result.exit_code, "a job is at work" in result.stderr) == (1, True)
        record.update(state="finished")
    assert len(khub_json("list")["documents"]) == 3


def test_delete_says_where(khub_json, filled):
    khub_json("ingest", filled, "-c", "other")
    khub_json("delete", "ember.md", "-c", "other")
    assert len(khub_json("list", "-c", "other")["documents"]) == 2
    assert len(khub_json("list", "-c", "default")["documents"]) == 3


def test_a_whole_collection_is_deleted_with_yes_alone(khub, khub_json, filled):
    refused = khub("delete", "-c", "default")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert khub_json("delete", "-c", "default", "--yes") == {"collection": "default", "documents": 3}
    assert open_catalog().collections.names() == []


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, ["default"]), ("y\n", 0, [])])
def test_on_a_terminal_it_asks(khub, filled, monkeypatch, answer, code, left):
    monkeypatch.setattr("khub.server.commands.delete._on_terminal", lambda: True)
    result = khub("delete", "-c", "default", input=answer)
    assert result.exit_code == code
    assert "Delete collection 'default' with 3 documents?" in result.stderr
    assert open_catalog().collections.names() == left


@pytest.mark.parametrize("arguments", [[], ["--yes"]])
def test_delete_of_nothing_is_a_usage_error(khub, filled, arguments):
    assert khub("delete", *arguments).exit_code == 2
    assert open_catalog().collections.names() == ["default"]


def test_names_are_made_absolute_where_they_are_paths(tmp_path):
    assert meant("./a.md") == str(tmp_path / "a.md")
    assert meant("a.md") == "a.md"
    assert shown_source(str(tmp_path / "a.md")) == "a.md"
    assert shown_source(str(tmp_path.parent / "a.md")) == str(tmp_path.parent / "a.md")


def test_a_document_that_could_not_be_updated_keeps_its_title():
    row = {"title": "T", "source": "/x/a.md", "status": "ready", "error": "'a.md' is damaged", "remedy": "replace it"}
    assert said_of(row) == "T (not updated: is damaged: replace it)"
    assert said_of({**row, "status": "failed"}) == "is damaged: replace it"
    assert said_of({**row, "error": None}) == "T"
    degraded = {**row, "error": None, "meta": {"degraded_stages": ["caption", "refine"]}}
    assert said_of(degraded) == "T (caption, refine degraded: ingest again)"
    assert said_of({**degraded, "title": None}) == "(caption, refine degraded: ingest again)"


def test_show_says_what_was_found_out_a_line_each(khub, khub_json, filled):
    (filled / "pumps.md").write_text(
        "# Pumps\n\nThe pump moves water. The pump was built on 3 May 2026.\n\n- The valve\n  closes the pump.\n",
        encoding="utf-8",
    )
    khub("ingest", filled)
    shown = dict(line.split(None, 1) for line in khub("show", "pumps.md").stdout.splitlines())
    meta = khub_json("show", "pumps.md")["meta"]
    assert shown["meta.tags"] == ", ".join(meta["tags"])
    assert shown["meta.dates"] == "2026-05-03"
    assert shown["meta.summary"] == " ".join(meta["summary"].split())
    assert "meta.found_metadata" not in shown
