import sys

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.commands.ingest_report import written_so_far
from khub.server.library.ingest import Progress

pytestmark = pytest.mark.integration


def test_counts_new_unchanged_and_failed(khub, files):
    first = khub("ingest", files)
    assert first.exit_code == 0
    assert "default: 3 new or changed (" in first.stdout
    (files / "notes.txt").write_text("Now it is another text.", encoding="utf-8")
    (files / "empty.md").write_text("", encoding="utf-8")
    (files / "x.bin").write_bytes(b"\0")
    second = khub("ingest", files)
    assert second.exit_code == 1
    assert "1 new or changed" in second.stdout
    assert "2 unchanged, 1 failed, 1 passed over" in second.stdout
    assert f"khub: {files / 'empty.md'}: is empty" in second.stderr
    assert f"khub: {files / 'x.bin'}: passed over: its type '.bin' " in second.stderr


def test_of_many_files_passed_over_the_first_are_named_and_all_with_json(khub, khub_json, files):
    for number in range(5):
        (files / f"{number}.bin").write_bytes(b"\0")
    for arguments in ((), ("--dry-run",)):
        told = [line for line in khub("ingest", files, *arguments).stderr.splitlines() if "passed over" in line]
        assert len(told) == 4
        assert told[-1].startswith("khub: 2 more files passed over: ")
        report = khub_json("ingest", files, *arguments)
        assert [one["source"] for one in report["passed_over"]] == [str(files / f"{n}.bin") for n in range(5)]
        assert report["passed_over_count"] == 5


def test_a_reason_that_many_files_fail_for_is_said_once_with_the_first_of_them(khub, khub_json, files):
    for number in range(5):
        (files / f"{number}.md").write_text("", encoding="utf-8")
    for arguments in ((), ("--dry-run",)):
        (told,) = [line for line in khub("ingest", files, *arguments).stderr.splitlines() if "is empty" in line]
        assert "5 files" in told
        assert str(files / "0.md") in told
        assert str(files / "4.md") not in told
    report = khub_json("ingest", files, code=1)
    assert [one["source"] for one in report["failed"]] == [str(files / f"{n}.md") for n in range(5)]


def test_a_folder_without_a_file_to_read_is_told(khub, files, tmp_path):
    told = "khub: nothing was found that can be read"
    (tmp_path / "none").mkdir()
    assert told in khub("ingest", tmp_path / "none").stderr
    assert told not in khub("ingest", files).stderr
    assert told not in khub("ingest", files).stderr


def test_json_holds_the_result(khub_json, files):
    result = khub_json("ingest", files, "-c", "手册")
    assert (result["collection"], len(result["written"]), result["failed"]) == ("手册", 3, [])
    assert open_catalog().collections.names() == ["手册"]


def test_metadata_is_kept_and_typed(khub_json, files):
    khub_json("ingest", files / "notes.txt", "--meta", "year=2026", "--meta", "author=Chen, Li", "--meta", 'code="7"')
    meta = khub_json("show", "notes.txt")["meta"]
    assert {"year": 2026, "author": "Chen, Li", "code": "7"}.items() <= meta.items()


@pytest.mark.parametrize("pair", ["author", "=Chen", "", "author=\udcff"])
def test_metadata_without_key_or_value_is_a_usage_error(khub, files, pair):
    result = khub("ingest", files, "--meta", pair)
    assert result.exit_code == 2
    assert "KEY=VALUE" in result.stderr or "not valid UTF-8" in result.stderr


def test_a_missing_path_fails_and_the_others_come_in(khub, files):
    result = khub("ingest", files / "nothing.pdf", files)
    assert result.exit_code == 1
    assert f"khub: {files / 'nothing.pdf'}: " in result.stderr
    assert "3 new or changed" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="names and links of POSIX")
def test_odd_names_and_links_take_one_line_each(khub, files, tmp_path):
    (files / "two\nlines.md").write_text("", encoding="utf-8")
    outside = tmp_path / "outside.md"
    outside.write_text("# Outside", encoding="utf-8")
    (files / "link.md").symlink_to(outside)
    result = khub("ingest", files)
    assert "1 link not followed" in result.stdout
    lines = result.stderr.splitlines()
    assert sum("two\\nlines.md" in line for line in lines) == 1
    assert sum("link.md: link not followed" in line for line in lines) == 1
    assert all(line.startswith(("khub: ", "ingest ")) for line in lines)


def test_a_graph_of_another_kind_is_refused(khub, files):
    result = khub("ingest", files, "--graph", "query")
    assert result.exit_code == 1
    assert "kind 'query'" in result.stderr
    assert result.stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text_stops_no_other_file(khub, files):
    (files / "\udcff.md").write_text("# Bytes", encoding="utf-8")
    result = khub("ingest", files)
    assert result.exit_code == 1
    assert "\\udcff.md: " in result.stderr
    assert "3 new or changed" in result.stdout


@pytest.mark.unit
@pytest.mark.parametrize(
    ("pages", "failed", "shown"),
    [
        (0, 0, "66 chunks"),
        (9, 0, "66 chunks, 4.5 pages/s"),
        (0, 1, "66 chunks, 1 failed"),
        (9, 2, "66 chunks, 4.5 pages/s, 2 failed"),
    ],
)
def test_progress_tells_pages_where_there_are_any(pages, failed, shown):
    assert written_so_far(Progress(3, 6, 66, pages, failed), 2.0) == shown


def test_an_ingest_of_which_nothing_could_be_read_leaves_no_collection(khub, khub_json, files, tmp_path):
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "empty.md").write_text("", encoding="utf-8")
    (bad / "broken.pdf").write_bytes(b"%PDF-1.4 cut off")
    result = khub("ingest", bad, "-c", "new")
    assert result.exit_code == 1
    assert "0 unchanged, 2 failed" in result.stdout
    assert "'new'" in result.stderr
    assert khub_json("list")["collections"] == []
    (bad / "good.md").write_text("# Birds\n\nHerons wade.\n", encoding="utf-8")
    again = khub("ingest", bad, "-c", "new")
    assert "still no collection" not in again.stderr
    rows = khub_json("list", "-c", "new")["documents"]
    assert sorted(row["status"] for row in rows) == ["failed", "failed", "ready"]


def test_failures_before_the_first_document_are_listed_once_there_is_one(khub, khub_json, files, monkeypatch):
    monkeypatch.setattr("khub.server.library.ingest.BATCH_FILES", 1)
    (files / "a-empty.md").write_text("", encoding="utf-8")
    assert khub("ingest", files).exit_code == 1
    rows = khub_json("list")["documents"]
    assert [row["status"] for row in rows if row["source"].endswith("a-empty.md")] == ["failed"]
