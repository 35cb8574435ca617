"""Documents go to a service, are listed, shown and deleted there."""

import shutil

import pytest
from typer.testing import CliRunner

from khub.server.cli import app
from khub.server.remote import documents as remote_documents
from khub.server.remote.documents import documents
from khub.server.remote.service import Service
from tests.server.remote.conftest import There

pytestmark = pytest.mark.integration


@pytest.fixture
def sent(there, notes):
    """Send the notes to a collection."""

    def send(collection):
        result = there.json("ingest", notes, "-c", collection)
        assert (len(result["written"]), result["failed"]) == (3, [])
        return result

    return send


def here(khub_home, *arguments):
    done = CliRunner().invoke(app, [*map(str, arguments)], env={"KHUB_HOME": str(khub_home)})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_is_sent_is_listed_shown_and_deleted(there, sent, notes):
    result = sent("鸟类手册")
    assert (result["collection"], result["graph"]) == ("鸟类手册", "ingest")
    assert {one["source"] for one in result["written"]} == {str(path) for path in notes.iterdir()}
    rows = there.json("list", "-c", "鸟类手册")
    assert rows["collection"] == "鸟类手册"
    ids = {row["source"].rpartition("/")[2]: row["doc_id"] for row in rows["documents"]}
    assert {one["doc_id"] for one in result["written"]} == set(ids.values())
    budget = there.json("show", "./somewhere/预算.md", "-c", "鸟类手册", "--chunks")
    assert (budget["doc_id"], budget["title"]) == (ids["预算.md"], "差旅预算")
    assert "酒店每晚上限为六百元" in budget["passages"][0]["content"]
    assert "酒店每晚上限为六百元" in there.run("show", "预算.md", "-c", "鸟类手册", "--chunks").stdout
    for name in (ids["fish.txt"], ids["fish.txt"][:8], "fish.txt", rows["documents"][1]["source"]):
        assert there.json("show", name, "-c", "鸟类手册")["doc_id"] == ids["fish.txt"], name
    deleted = there.json("delete", "fish.txt", ids["预算.md"], "none.md", "-c", "鸟类手册", code=1)
    assert [row["doc_id"] for row in deleted["deleted"]] == [ids["fish.txt"], ids["预算.md"]]
    assert [row["document"] for row in deleted["failed"]] == ["none.md"]
    assert [row["doc_id"] for row in there.json("list", "-c", "鸟类手册")["documents"]] == [ids["birds.md"]]


def test_what_is_written_is_what_the_local_commands_write(there, sent, notes, tmp_path, converted_here):
    home = tmp_path / "other"
    sent("same")
    here(home, "ingest", notes, "-c", "same", "--json")
    local = here(home, "list", "-c", "same").splitlines()
    remote = there.run("list", "-c", "same").stdout.splitlines()
    assert local[0] == remote[0]
    assert [row.split("\t")[1:7] for row in local] == [row.split("\t")[1:7] for row in remote]
    shown = {name: there.run("show", "birds.md", "-c", "same", *more).stdout for name, more in MORE.items()}
    for name, more in MORE.items():
        local = here(home, "show", "birds.md", "-c", "same", *more)
        assert first_words(shown[name]) == first_words(local)
    shutil.rmtree(home)


def first_words(text):
    return sorted(line.split()[0] for line in text.splitlines() if line)


MORE = {"alone": (), "with its chunks": ("--chunks",)}


def test_an_ambiguous_name_and_an_unknown_collection_are_told(there, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder} heron.md").write_text(f"# {folder}\n\nHerons.\n", encoding="utf-8")
    there.json("ingest", tmp_path / "a", tmp_path / "b", "-c", "two")
    ids = [row["doc_id"] for row in there.json("list", "-c", "two")["documents"]]
    assert "no document 'heron.md'" in there.run("show", "heron.md", "-c", "two", code=1).stderr
    assert there.json("show", "a heron.md", "-c", "two")["doc_id"] == ids[0]
    assert "no collection 'nowhere'" in there.run("list", "-c", "nowhere", code=1).stderr


def test_all_pages_of_a_list_are_taken(address, sent, monkeypatch):
    sent("pages")
    monkeypatch.setenv("KHUB_TOKEN", "r")
    service = Service(address)
    asked = []
    ask = service.ask
    monkeypatch.setattr(service, "ask", lambda *words, **more: asked.append(words) or ask(*words, **more))
    monkeypatch.setattr(Service.pages, "__defaults__", (2,))
    name, rows = documents(service, "pages")
    assert (name, len(rows), len(asked)) == ("pages", 3, 2)
    service.close()


def test_a_whole_collection_is_deleted_once_it_was_said_so(there, sent):
    sent("gone")
    counted = {row["name"]: row["documents"] for row in there.json("list")["collections"]}
    assert counted["gone"] == 3
    assert there.run("delete", "-c", "gone", code=2).stdout == ""
    assert there.json("delete", "-c", "gone", "--yes") == {"collection": "gone", "documents": 3}
    assert "gone" not in {row["name"] for row in there.json("list")["collections"]}
    assert there.run("delete", "-c", "gone", "--yes", code=1).stdout == ""


def test_who_may_only_read_deletes_nothing(there, sent):
    sent("kept")
    refused = there.json("delete", "birds.md", "-c", "kept", code=1, env={"KHUB_WRITE_TOKEN": ""})
    assert (refused["deleted"], "KHUB_WRITE_TOKEN" in refused["failed"][0]["remedy"]) == ([], True)
    assert len(there.json("list", "-c", "kept")["documents"]) == 3


def test_the_rows_of_a_table_go_together(monkeypatch, address):
    rows = [{"doc_id": str(n), "source": f"/srv/orders.csv#row={n}", "chunks": 1} for n in (1, 2)]
    rows.append({"doc_id": "3", "source": "/srv/old orders.csv", "chunks": 1})
    gone = []
    monkeypatch.setattr(remote_documents, "documents", lambda *_: ("c", rows))
    monkeypatch.setattr(Service, "ask", lambda _, method, path, *needs, **more: gone.append((method, path)))
    found = remote_documents.delete_document(Service(address), "/srv/orders.csv", None)
    assert [row["doc_id"] for row in found] == ["1", "2"]
    assert gone == [("DELETE", "/documents/1"), ("DELETE", "/documents/2")]


def test_where_nothing_is_yet_it_is_said(monkeypatch, address):
    monkeypatch.setattr(Service, "ask", lambda *_, **__: {"collections": []})
    done = There(address).run("list")
    assert (done.stdout, "no collection yet" in done.stderr) == ("", True)


def test_a_document_is_named_by_its_address(there, notes):
    for name, page in (("birds.md", "birds"), ("fish.txt", "fish")):
        address = f"https://docs.example.com/{page}"
        there.json("ingest", notes / name, "-c", "fetched", "--meta", f"url={address}")
    row = there.json("show", "https://ada:secret@docs.example.com/fish/", "-c", "fetched")
    assert row["source"].endswith("fish.txt")
    (deleted,) = there.json("delete", "https://docs.example.com/fish", "-c", "fetched")["deleted"]
    assert deleted["doc_id"] == row["doc_id"]
    told = there.json("delete", "https://docs.example.com/fish", "-c", "fetched", code=1)
    assert told["failed"][0]["code"] == "document_unknown"
    assert len(there.json("list", "-c", "fetched")["documents"]) == 1
