"""Files in archives and messages in mailboxes are documents that come, are found and go with them."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.ingest import ingest
from khub.server.library.sync import apply_sync, plan_sync
from khub.server.questions.ask import ask
from khub.server.reads.mail_parts import attached_to, mail_around
from tests.components.converters.mail.mails import attach, mail
from tests.components.converters.mail.test_archives import mailbox, packed

pytestmark = pytest.mark.integration

GRAPH = "ingest_fast"


@pytest.fixture(autouse=True)
def _fast(pipelines, converted_here):
    pass


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def rows():
    return {row["source"].rpartition("files")[2][1:]: row for row in open_catalog().documents.of_collection("default")}


def sync(folder):
    return apply_sync(plan_sync(str(folder), graph_name=GRAPH))


def test_each_file_of_an_archive_is_a_document(folder):
    inner = bytes(attach(mail("Inner", "Storks clatter."), "deep.md", "# Deep\n\nCrows solve puzzles."))
    files = {"birds/swans.md": "# Swans\n\nSwans glide over the lake.", "mail.eml": inner, "run.exe": "MZ"}
    (folder / "all.zip").write_bytes(packed(files))
    result = ingest([str(folder)], graph_name=GRAPH)
    assert result.failed == []
    names = ["all.zip", "all.zip!/birds/swans.md", "all.zip!/mail.eml", "all.zip!/mail.eml!/deep.md"]
    assert sorted(rows()) == names
    (told,) = [entry for entry in result.degraded if "attachments" in entry]
    assert told["attachments"] == ["run.exe"]
    assert [row["source"] for row in attached_to(rows()["all.zip"])] == [
        str(folder / "all.zip") + name for name in ("!/birds/swans.md", "!/mail.eml")
    ]
    assert mail_around(rows()["all.zip!/birds/swans.md"])["source"] == str(folder / "all.zip")
    cited = ask("What glides over the lake?", "default").citations[0]
    assert cited.source.endswith("all.zip!/birds/swans.md")
    assert ingest([str(folder)], graph_name=GRAPH).written == []


def test_what_is_taken_out_of_an_archive_goes_and_all_goes_with_it(folder):
    archive = folder / "all.zip"
    archive.write_bytes(packed({"a.txt": "Pike wait.", "b.txt": "Eels cross the ocean."}))
    (folder / "other.txt").write_text("Trout swim upstream.", encoding="utf-8")
    (folder / "third.txt").write_text("Carp rest.", encoding="utf-8")
    sync(folder)
    archive.write_bytes(packed({"b.txt": "Eels cross the ocean.", "c.txt": "Bream feed."}))
    sync(folder)
    assert sorted(rows()) == ["all.zip", "all.zip!/b.txt", "all.zip!/c.txt", "other.txt", "third.txt"]
    assert sync(folder).kept == []
    archive.unlink()
    sync(folder)
    assert sorted(rows()) == ["other.txt", "third.txt"]


def test_each_message_of_a_mailbox_is_a_document(folder):
    second = attach(mail("Second", "Storks clatter."), "list.txt", "Herons wade in the pond.")
    (folder / "in.mbox").write_bytes(mailbox(mail("First", "Swans glide."), second))
    assert ingest([str(folder)], graph_name=GRAPH).failed == []
    assert sorted(rows()) == ["in.mbox", "in.mbox!/First.eml", "in.mbox!/Second.eml", "in.mbox!/Second.eml!/list.txt"]
    assert rows()["in.mbox!/Second.eml!/list.txt"]["meta"]["subject"] == "Second"
