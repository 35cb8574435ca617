import json

import pytest

from khub.server.traces.rotating_lines import append_line, files_newest_first

pytestmark = pytest.mark.unit


def test_folder_is_made_at_the_first_line(tmp_path):
    path = tmp_path / "logs" / "x.jsonl"
    append_line(path, "a")
    append_line(path, "é")
    assert path.read_text(encoding="utf-8") == "a\né\n"


def test_lone_surrogate_stays_valid_json(tmp_path):
    path = tmp_path / "x.jsonl"
    append_line(path, json.dumps({"a": "x\udc80"}, ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": "x\udc80"}


def test_torn_line_spoils_no_other(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("whole\nto", encoding="utf-8")
    append_line(path, "next")
    assert path.read_text(encoding="utf-8").splitlines() == ["whole", "to", "next"]


def test_full_file_is_rotated_and_the_oldest_goes(tmp_path):
    path = tmp_path / "x.jsonl"
    for number in range(6):
        append_line(path, f"line {number}", max_bytes=14, kept_files=3)  # two lines a file
    assert files_newest_first(path) == [tmp_path / "x.jsonl.1", tmp_path / "x.jsonl.2"]
    append_line(path, "line 6", max_bytes=14, kept_files=3)
    append_line(path, "line 7", max_bytes=14, kept_files=3)
    append_line(path, "line 8", max_bytes=14, kept_files=3)
    texts = [file.read_text(encoding="utf-8") for file in files_newest_first(path)]
    assert texts == ["line 8\n", "line 6\nline 7\n", "line 4\nline 5\n"]


def test_files_beyond_nine_are_ordered_by_number(tmp_path):
    path = tmp_path / "x.jsonl"
    for number in (2, 10, 1):
        (tmp_path / f"x.jsonl.{number}").touch()
    (tmp_path / "x.jsonl.lock").touch()
    assert [f.suffix for f in files_newest_first(path)] == [".1", ".2", ".10"]


def test_disk_error_is_raised(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        append_line(tmp_path / "file" / "x.jsonl", "a")
