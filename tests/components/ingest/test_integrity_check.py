"""Only new and changed files go on."""

import hashlib
import os
import sys

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.documents import doc_id_of
from khub.components.ingest.integrity_check import IntegrityCheck
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "笔记 1.md"
    path.write_bytes("# 标题\n".encode())
    return path


def check(*paths, force=False, **more):
    return IntegrityCheck(force=force).run([str(p) for p in paths], **more)


def ingested(path, collection="default", recipe=None, extra=None):
    """Say that the file came in as it is now."""
    open_catalog().collections.create(collection)
    record = check(path, collection=collection, force=True)["sources"][0]
    meta = {"source": record["path"], "sha256": record["sha256"], "size": record["size"], "recipe": recipe}
    new = NewDocument(record["doc_id"], collection, meta, extra or {}, [])
    open_catalog().chunks.stage(new, "staged")
    open_catalog().chunks.publish(new)


def paths(result):
    return [source["path"] for source in result["sources"]]


def test_new_file_is_described(file):
    os.utime(file, (1_700_000_000.5, 1_700_000_000.5))
    result = check(file, meta={"team": "甲"}, recipe="r1")
    assert result == {
        "sources": [
            {
                "path": str(file),
                "doc_id": doc_id_of("default", str(file)),
                "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
                "size": file.stat().st_size,
                "collection": "default",
                "meta": {"modified_at": "2023-11-14T22:13:20.500+00:00", "team": "甲", "recipe": "r1"},
                "given_before": {},
            }
        ],
        "unchanged": [],
        "failed": [],
        "collection": "default",
    }


def test_unchanged_file_is_skipped_until_its_bytes_change(file):
    ingested(file)
    os.utime(file, (0, 0))
    assert check(file)["unchanged"] == [str(file)]
    assert check(file)["sources"] == []
    file.write_bytes(file.read_bytes() + b"x")
    assert paths(check(file)) == [str(file)]


def test_the_user_may_say_when_a_file_was_modified(file):
    assert check(file, meta={"modified_at": "2020-05-01"})["sources"][0]["meta"]["modified_at"] == "2020-05-01"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such time")
def test_a_time_that_no_calendar_has_is_left_out(file):
    try:
        os.utime(file, (300_000_000_000, 300_000_000_000))
    except (OSError, OverflowError):
        pytest.skip("the file system keeps no such time")
    if file.stat().st_mtime < 290_000_000_000:
        pytest.skip("the file system keeps no such time")
    assert "modified_at" not in check(file)["sources"][0]["meta"]


def test_document_with_degraded_stages_is_taken_up_again(file):
    ingested(file, extra={"degraded_stages": ["refine"]})
    assert paths(check(file)) == [str(file)]
    ingested(file)
    assert check(file)["unchanged"] == [str(file)]


def test_other_recipe_makes_it_changed(file):
    ingested(file, recipe="r1")
    assert check(file, recipe="r1")["unchanged"] == [str(file)]
    assert paths(check(file, recipe="r2")) == [str(file)]
    assert paths(check(file)) == [str(file)]


def test_force_takes_it_all_the_same(file):
    ingested(file)
    assert paths(check(file, force=True)) == [str(file)]


def test_file_that_failed_is_tried_again(file):
    ingested(file)
    open_catalog().documents.record_failure("default", str(file), "broken", "mend it")
    assert paths(check(file)) == [str(file)]


def test_collections_are_apart_and_not_made(file):
    ingested(file)
    result = check(file, collection="知识库")
    assert paths(result) == [str(file)]
    assert result["collection"] == "知识库"
    assert open_catalog().collections.names() == ["default"]


def test_a_name_that_no_collection_may_have_is_refused_at_once(file):
    with raises_code("name_invalid", "1 to 200"):
        check(file, collection="a\nb")


def test_file_named_twice_counts_once(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert paths(check(file, file.name, file)) == [str(file)]


def test_missing_file_and_folder_are_failures_beside_good_ones(file, tmp_path):
    result = check(tmp_path / "gone.md", file, tmp_path)
    assert paths(result) == [str(file)]
    assert [(f["stage"], f["source"]) for f in result["failed"]] == [
        ("check", str(tmp_path / "gone.md")), ("check", str(tmp_path)),
    ]  # fmt: skip
    assert "does not exist" in result["failed"][0]["error"]
    assert "is a folder" in result["failed"][1]["error"]
    assert all(f["remedy"] for f in result["failed"])


@pytest.mark.skipif(sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0, reason="POSIX user")
def test_unreadable_file_is_a_failure(file):
    file.chmod(0)
    (failure,) = check(file)["failed"]
    assert "(Permission denied)" in failure["error"]


def test_name_that_is_no_unicode_is_a_failure_that_can_be_shown(file, tmp_path):
    odd = str(tmp_path / "odd\udcff.md")
    result = check(odd, file)
    assert paths(result) == [str(file)]
    (failure,) = result["failed"]
    assert "\\udcff" in failure["error"]
    assert all(text.encode() for text in failure.values())


def test_large_file_is_read_in_blocks(tmp_path):
    content = os.urandom((1 << 20) + 17)
    (tmp_path / "big.txt").write_bytes(content)
    (record,) = check(tmp_path / "big.txt")["sources"]
    assert (record["sha256"], record["size"]) == (hashlib.sha256(content).hexdigest(), len(content))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_a_pipe_is_called_what_it_is_and_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    result = check(tmp_path / "pipe.md")
    assert "named pipe" in result["failed"][0]["error"]
    assert result["sources"] == []
