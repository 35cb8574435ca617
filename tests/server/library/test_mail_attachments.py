"""Files attached to a mail are documents that live and go with the mail."""

import gc
import tempfile
from pathlib import Path

import pytest

from khub.components.catalog.access import ACCESS_FIELD, Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.partly_opened import closed_among, document_is_opened
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.errors import MetadataError
from khub.server.jobs.deletions import delete_document, delete_file
from khub.server.library.convert import convert_file
from khub.server.library.doctor import diagnose
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.library.ingest_preview import preview_ingest
from khub.server.library.source_pattern import is_meant
from khub.server.library.source_record import source_record
from khub.server.library.sync import apply_sync, plan_sync
from khub.server.questions.ask import ask
from khub.server.reads.mail_parts import attached_to, mail_around
from khub.server.reads.original_file import original_of
from tests.components.converters.mail.mails import attach, mail

pytestmark = pytest.mark.integration

GRAPH = "ingest_fast"
BROKEN = b"%PDF-1.4 nothing"


@pytest.fixture(autouse=True)
def _fast(pipelines, converted_here):
    pass


@pytest.fixture
def file(tmp_path):
    folder = tmp_path / "mails"
    folder.mkdir()
    return folder / "offer.eml"


def inner():
    return attach(mail("Inner", "Storks clatter."), "deep.md", "# Deep\n\nCrows solve puzzles.")


def write(file, *messages_and_files, subject="Offer"):
    message = mail(subject, "Herons wade.")
    for one in messages_and_files:
        if isinstance(one, tuple):
            attach(message, *one)
        else:
            message.add_attachment(one)
    file.write_bytes(bytes(message))


def run(file, **meta):
    return ingest([str(file)], graph_name=GRAPH, meta=meta or None)


def rows():
    return {row["source"].rpartition("mails")[2][1:]: row for row in open_catalog().documents.of_collection("default")}


def ended(sources):
    return sorted(source.replace("\\", "/").rpartition("/")[2] for source in sources)


FISH = ("鱼.txt", "Trout swim upstream.")
EELS = ("eels.txt", "Eels cross the ocean.")


def test_each_attachment_is_a_document_that_leads_to_its_mail(file):
    write(file, FISH, inner(), ("../../notes.md", "# Notes\n\nSwans glide."), ("x.rar", "PK"))
    result = run(file, team="sales")
    found = rows()
    assert list(found) == [
        "offer.eml", "offer.eml!/Inner.eml", "offer.eml!/Inner.eml!/deep.md", "offer.eml!/notes.md",
        "offer.eml!/鱼.txt",
    ]  # fmt: skip
    assert {row["status"] for row in found.values()} == {"ready"}
    fish, deep, around = (found[f"offer.eml{name}"] for name in ("!/鱼.txt", "!/Inner.eml!/deep.md", "!/Inner.eml"))
    assert fish["meta"]["part_of"] == around["meta"]["part_of"] == found["offer.eml"]["doc_id"]
    assert deep["meta"]["part_of"] == around["doc_id"]
    assert [row["meta"]["team"] for row in found.values()] == ["sales"] * 5
    assert (fish["meta"]["subject"], deep["meta"]["subject"]) == ("Offer", "Inner")
    assert fish["meta"]["from"] == "Ann <ann@a.org>"
    assert fish["meta"]["date"].startswith("2024-05-06")
    assert mail_around(deep)["doc_id"] == around["doc_id"]
    assert mail_around(found["offer.eml"]) is None
    assert [row["doc_id"] for row in attached_to(around)] == [deep["doc_id"]]
    assert len(attached_to(found["offer.eml"])) == 3
    (told,) = result.degraded
    assert (told["attachments"], told["source"]) == (["x.rar"], str(file))
    asked = ask("Crows puzzles path:offer.eml", "default", top_k=1)
    assert asked.citations[0].source.endswith("offer.eml!/Inner.eml!/deep.md")
    assert "`offer.eml!/Inner.eml!/deep.md`" in asked.answer
    assert diagnose()[0].healthy


def test_unchanged_changed_new_and_vanished(file):
    write(file, FISH, EELS, inner())
    run(file)
    assert run(file).unchanged == [str(file)]
    before = {name: row["ingested_at"] for name, row in rows().items()}
    write(file, ("鱼.txt", "Carp rest."), EELS, ("new.txt", "Owls hunt."))
    result = run(file)
    assert ended(row["source"] for row in result.written) == ["new.txt", "offer.eml", "鱼.txt"]
    assert ended(result.removed) == ["Inner.eml", "deep.md"]
    assert ended(rows()) == ["eels.txt", "new.txt", "offer.eml", "鱼.txt"]
    assert rows()["offer.eml!/eels.txt"]["ingested_at"] == before["offer.eml!/eels.txt"]
    assert not any("Trout" in c.text or "Crows" in c.text for c in ask("Trout Crows", "default").citations)
    assert diagnose()[0].healthy


def test_a_broken_attachment_fails_alone_and_is_tried_again_alone(file):
    write(file, FISH, ("broken.pdf", BROKEN))
    for written in (["offer.eml", "鱼.txt"], ["offer.eml"]):
        result = run(file)
        assert ended(row["source"] for row in result.written) == written
        assert [failure["source"] for failure in result.failed] == [f"{file}!/broken.pdf"]
    assert rows()["offer.eml!/broken.pdf"]["status"] == "failed"
    (changed,) = preview_ingest([str(file)], graph_name=GRAPH).changed
    assert changed["source"] == str(file)
    write(file, FISH)
    run(file)
    assert run(file).unchanged == [str(file)]


def test_a_mail_that_was_read_without_its_files_is_read_again(file):
    write(file, FISH)
    run(file)
    delete_document(f"{file}!/鱼.txt")
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE documents SET meta = json_remove(meta, '$.parts')")
    run(file)
    assert len(rows()) == 2
    assert run(file).unchanged == [str(file)]


def test_deleting(file):
    write(file, FISH, EELS, inner())
    run(file)
    delete_document(f"{file}!/Inner.eml")
    assert ended(rows()) == ["eels.txt", "offer.eml", "鱼.txt"]
    assert run(file).unchanged == [str(file)]  # what was deleted alone stays away until its mail changes
    write(file, FISH, EELS, inner(), subject="Again")
    run(file)
    assert len(rows()) == 5
    assert len(delete_file(str(file))) == 5
    assert rows() == {}
    assert not list((open_catalog().home / "originals").rglob("*.txt"))


def test_a_killed_ingest_is_completed(file, monkeypatch):
    write(file, FISH)
    run(file)
    delete_document(f"{file}!/鱼.txt")
    database = open_catalog().database
    with database.transaction() as connection:  # the mail comes last: it is not there when its attachments are not
        connection.execute("UPDATE documents SET sha256 = 'older'")
    run(file)
    assert len(rows()) == 2


def test_the_file_of_an_attachment_is_kept_and_nothing_else(file, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    write(file, FISH, ("broken.pdf", BROKEN), inner())
    run(file)
    file.unlink()
    kept = original_of(rows()["offer.eml!/鱼.txt"])
    assert kept is not None
    assert kept.read_text(encoding="utf-8") == FISH[1]
    gc.collect()  # the error of a file that is converted in this process holds its frames
    assert list(folder.iterdir()) == []


def test_sync_takes_them_for_their_mail(file):
    write(file, FISH, EELS)
    folder = str(file.parent)
    (file.parent / "other.md").write_text("# Other\n\nText.", encoding="utf-8")
    apply_sync(plan_sync(folder, graph_name=GRAPH))
    plan = plan_sync(folder, graph_name=GRAPH)
    assert (plan.removals, plan.documents) == ([], 2)
    vectors = open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0]
    renamed = file.rename(file.with_name("renamed.eml"))
    plan = plan_sync(folder, graph_name=GRAPH)
    assert (plan.lost, plan.drastic, len(plan.removals)) == (0, False, 3)
    result = apply_sync(plan)
    assert ended(result.removed) == ["eels.txt", "offer.eml", "鱼.txt"]
    assert open_catalog().database.row("SELECT COUNT(*) FROM vectors")[0] == vectors
    write(renamed, FISH)
    result = apply_sync(plan_sync(folder, graph_name=GRAPH))
    assert ended(result.removed) == ["eels.txt"]
    renamed.unlink()
    apply_sync(plan_sync(folder, graph_name=GRAPH))
    assert list(rows()) == ["other.md"]


def test_levels_are_never_more_open_than_the_mail(file):
    write(file, FISH, ("open.md", "---\naccess_level: public\n---\n# Open\n\nText."), ("broken.pdf", BROKEN))
    run(file, access_level="staff")
    assert [row["meta"].get(ACCESS_FIELD) for row in rows().values() if row["chunks"]] == ["staff"] * 3
    run(file)  # nobody says a level, and all is read again for the one that failed
    assert [row["meta"].get(ACCESS_FIELD) for row in rows().values() if row["chunks"]] == ["staff"] * 3
    fish = rows()["offer.eml!/鱼.txt"]
    with pytest.raises(MetadataError):
        edit_document(fish, None, {ACCESS_FIELD: ["staff", "public"]})
    edit_document(fish, None, {ACCESS_FIELD: None})
    edit_document(rows()["offer.eml"], None, {ACCESS_FIELD: ["staff", "board"]})
    assert rows()["offer.eml!/open.md"]["meta"][ACCESS_FIELD] == ["staff", "board"]
    assert ACCESS_FIELD not in rows()["offer.eml!/鱼.txt"]["meta"]
    edit_document(rows()["offer.eml!/鱼.txt"], None, {ACCESS_FIELD: "staff"})
    edit_document(rows()["offer.eml"], None, {ACCESS_FIELD: "board"})
    assert [row["meta"].get(ACCESS_FIELD) for row in rows().values() if row["chunks"]] == ["board"] * 3


def test_a_level_that_an_attached_file_gives_itself_opens_nothing(file):
    write(file, ("open.md", "---\naccess_level: public\n---\n# Open\n\nText."))
    run(file)
    assert ACCESS_FIELD not in rows()["offer.eml!/open.md"]["meta"]


def test_the_narrower_level_of_an_attached_file_stays_where_its_mail_is_read_again(file):
    write(file, FISH, inner())
    run(file, access_level=["staff", "board"])
    for name in ("!/鱼.txt", "!/Inner.eml!/deep.md"):
        edit_document(rows()[f"offer.eml{name}"], None, {ACCESS_FIELD: "board"})
    with open_catalog().database.transaction() as connection:  # as by an upgrade of what reads files
        connection.execute("UPDATE documents SET recipe = 'older'")
    assert len(run(file).written) == 4
    levels = {name: row["meta"].get(ACCESS_FIELD) for name, row in rows().items()}
    both = ["staff", "board"]
    assert list(levels.values()) == [both, both, "board", "board"]


@pytest.mark.parametrize("key", ["parts", "part_of", "attachments_left"])
def test_nobody_else_says_what_is_attached(file, key):
    write(file)
    with pytest.raises(MetadataError):
        run(file, **{key: ["../other.txt"]})
    run(file)
    with pytest.raises(MetadataError):
        edit_document(rows()["offer.eml"], None, {key: ["../other.txt"]})


def test_what_is_said_of_a_mail_opens_no_file(file, tmp_path):
    write(file)
    other = tmp_path / "other.txt"
    other.write_text("Secret.", encoding="utf-8")
    source = {**source_record(str(file), "default"), "collection": "default", "meta": {"parts": [str(other)]}}
    result = MarkItDownConverter().run(sources=[source])
    assert [document.meta["source"] for document in result["documents"]] == [str(file)]
    assert "parts" not in {key for key, value in result["documents"][0].meta.items() if value}


def test_a_mail_is_closed_to_whom_one_of_its_files_is(file):
    write(file, FISH)
    run(file, access_level=["staff", "board"])
    edit_document(rows()["offer.eml!/鱼.txt"], None, {ACCESS_FIELD: "board"})
    doc_id, database = rows()["offer.eml"]["doc_id"], open_catalog().database
    with calling_as(Caller("x", ("staff",))):
        assert not document_is_opened(database, doc_id)
        assert closed_among(database, [doc_id]) == {doc_id}
    with calling_as(Caller("x", ("board",))):
        assert document_is_opened(database, doc_id)
        assert closed_among(database, [doc_id]) == set()


def test_converting_a_mail_to_look_at_it_makes_nothing(file):
    write(file, FISH, ("broken.pdf", BROKEN))
    assert "鱼.txt" in (convert_file(str(file), GRAPH).document.content or "")
    assert not open_catalog().database.path.exists()


def test_patterns_mean_the_mail_and_its_files(file):
    assert is_meant(f"{file}!/鱼.txt", str(file))
    assert is_meant(f"{file}!/鱼.txt", "*.eml")
    assert is_meant(f"{file}!/鱼.txt", str(Path(file).parent))
