"""Files of documents and pictures in an object store."""

import shutil
import time

import pytest
from PIL import Image

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.home import at_home, hub_home
from khub.server.library.collections import delete_documents
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.reads.original_file import original_of
from tests.error_codes import raises_code

object_files = pytest.importorskip("khub.components.catalog.object_files", reason="pip install obstore")
obstore = pytest.importorskip("obstore")

pytestmark = pytest.mark.integration


@pytest.fixture
def report(tmp_path):
    """A file with a picture."""
    folder = tmp_path / "files"
    folder.mkdir()
    Image.effect_noise((320, 240), 60).convert("RGB").save(folder / "chart.png")
    (folder / "report.html").write_text("<h1>Herons</h1><p>They wade.</p>", encoding="utf-8")
    return folder


def kept(url):
    from obstore.store import from_url

    return sorted(one["path"] for part in obstore.list(from_url(url)) for one in part)


def rows():
    return open_catalog().documents.of_collection("default")


def test_files_go_into_the_store_and_come_from_it_on_another_machine(in_s3, report, tmp_path, converted_here):
    ingest([str(report)])
    assert {path.split("/")[0] for path in kept(in_s3)} == {"originals", "images"}
    before = {row["source"]: original_of(row).read_bytes() for row in rows()}
    pictures = [picture for row in rows() for picture in open_catalog().images.of_document(row["doc_id"])]
    assert pictures
    shutil.copytree(hub_home(), tmp_path / "other", ignore=shutil.ignore_patterns("originals", "images"))
    shutil.rmtree(report)
    with at_home(tmp_path / "other"):
        assert {row["source"]: original_of(row).read_bytes() for row in rows()} == before
        again = open_catalog().images.get([pictures[0]["image_id"]])[pictures[0]["image_id"]]
        assert (tmp_path / "other") in open_catalog().images.file(again["sha256"], again["mime"]).parents
        assert open(again["path"], "rb").read(4) == b"\x89PNG"  # noqa: SIM115, PTH123


def test_what_no_document_has_any_more_leaves_the_store(in_s3, report, converted_here):
    ingest([str(report)])
    assert kept(in_s3)
    delete_documents([row["doc_id"] for row in rows()], "default")
    assert kept(in_s3) == []


def test_a_file_that_another_machine_deleted_is_kept_again(in_s3, report, tmp_path, converted_here):
    ingest([str(report)])
    before = kept(in_s3)
    for path in before:
        obstore.delete(obstore.store.from_url(in_s3), path)
    (report / "again.html").write_bytes((report / "report.html").read_bytes())
    shutil.copy(report / "chart.png", report / "again.png")
    ingest([str(report)])
    assert kept(in_s3) == before


def test_the_doctor_deletes_what_no_row_tells_of_here_and_there(in_s3, report, tmp_path, converted_here):
    ingest([str(report)])
    before = kept(in_s3)
    catalog = open_catalog()
    for name in ("originals/ab/abcd.md", "images/ab/abcd.png"):
        left = catalog.home / name
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_bytes(b"left")
        catalog.files.keep(left)
    copy = catalog.home / "originals" / "cd" / "cdef.md"  # of a document that another machine has deleted
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"copy")
    assert len(kept(in_s3)) == len(before) + 2
    diagnose(repair=True)
    assert kept(in_s3) == before
    assert {path.name for path in catalog.home.glob("originals/*/*")} == {
        path.rpartition("/")[2] for path in before if path.startswith("originals")
    }


def test_a_file_that_is_nowhere_is_told_as_missing(in_s3, tmp_path):
    files = Catalog(tmp_path, files=in_s3).files
    assert not files.find(tmp_path / "originals" / "ab" / "abc.md")


@pytest.mark.parametrize(
    "variables",
    [{"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "nobody"}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}],
)
def test_a_store_that_cannot_be_used_is_told_in_one_line(variables, s3, tmp_path, monkeypatch):
    for name, value in {**s3, **variables}.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "originals" / "ab" / "abc.md"
    path.parent.mkdir(parents=True)
    path.write_text("herons", encoding="utf-8")
    with raises_code("store_unreachable", "s3://hub/x"):
        Catalog(tmp_path, files="s3://hub/x").files.keep(path)


@pytest.mark.parametrize("url", ["nothing", "ftp://host/x", "s3://"])
def test_an_address_that_is_none_is_told(tmp_path, url):
    with raises_code("setting_invalid", "KHUB_FILES", url):
        Catalog(tmp_path, files=url)


def test_questions_are_answered_while_the_store_is_away(in_s3, report, converted_here, monkeypatch):
    ingest([str(report)])
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    shutil.rmtree(open_catalog().home / "images")
    monkeypatch.setenv("KHUB_FILES", f"{in_s3}/")  # opened anew
    started = time.monotonic()
    assert ask("herons wade", "default").citations
    with raises_code("store_unreachable"):
        open_catalog().images.of_document(next(row["doc_id"] for row in rows() if row["source"].endswith(".png")))
    assert time.monotonic() - started < 60
