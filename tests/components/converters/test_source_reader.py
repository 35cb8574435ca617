import hashlib
import os
import sys
from pathlib import Path

import pytest

from khub.components.converters.source_reader import check_source, read_source
from khub.components.errors import SourceError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_a_sound_file_passes(tmp_path):
    path = tmp_path / "- 报告 1.txt"
    path.write_bytes(b"content")
    check_source(path, max_mb=1)
    assert read_source(path, hashlib.sha256(b"content").hexdigest()) == b"content"


def test_missing_directory_empty_large(tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        check_source(tmp_path / "gone.pdf", max_mb=1)
    with pytest.raises(SourceError, match="is a directory"):
        check_source(tmp_path, max_mb=1)
    path = tmp_path / "a.txt"
    path.write_bytes(b"")
    with pytest.raises(SourceError, match="is empty"):
        check_source(path, max_mb=1)
    path.write_bytes(b"x" * 2_000_000)
    with raises_code("source_too_large", "2.0 MB", "1 MB"):
        check_source(path, max_mb=1)
    check_source(path, max_mb=3)


def test_a_name_with_a_zero_byte():
    with pytest.raises(SourceError, match="cannot be read"):
        check_source(Path("/a\x00b"), max_mb=1)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(SourceError, match="is a named pipe"):
        check_source(tmp_path / "pipe.txt", max_mb=1)


def test_a_name_that_is_not_unicode(tmp_path):
    with pytest.raises(SourceError, match="not valid Unicode"):
        check_source(tmp_path / "a\udcff.txt", max_mb=1)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom permissions stop")
def test_no_permission(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(SourceError, match="permission denied"):
        read_source(path, "")


def test_other_bytes_than_recorded(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"new")
    with raises_code("source_changed", "'a.txt'") as caught:
        read_source(path, hashlib.sha256(b"old").hexdigest())
    assert caught.value.remedy == "ingest it again"


def test_a_file_that_grows_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    read = Path.read_bytes

    def read_then_write(self):
        data = read(self)
        self.write_bytes(data + b"two")
        return data

    monkeypatch.setattr(Path, "read_bytes", read_then_write)
    with raises_code("source_changed", "'a.txt'"):
        read_source(path, hashlib.sha256(b"one").hexdigest())
