"""Files that come are written under safe names, within their limits."""

import io

import pytest

from khub.components.errors import KhubError, QueryError, SourceError
from khub.server.library import incoming_files
from khub.server.library.incoming_files import IncomingFiles, TooLargeError, largest_file

pytestmark = pytest.mark.unit


def test_files_lie_by_their_numbers_and_keep_their_paths(tmp_path):
    files = IncomingFiles(tmp_path, 10)
    for given in ("wiki/a.md", "../b.md"):
        files.take(given, io.BytesIO(given.encode()))
    assert [(part.read_text(), name) for part, name in files.parts] == [("wiki/a.md", "wiki/a.md"), ("../b.md", "b.md")]
    assert not files.is_open


def test_what_is_too_large_or_too_many_or_the_same_is_refused(tmp_path, monkeypatch):
    files = IncomingFiles(tmp_path, 10)
    files.take("a.md", io.BytesIO(b"x" * 10))
    with pytest.raises(TooLargeError, match=r"b\.md"):
        files.take("b.md", io.BytesIO(b"x" * 11))
    assert not files.is_open
    with pytest.raises(SourceError):
        files.take("a.md", io.BytesIO(b""))
    monkeypatch.setattr(incoming_files, "MOST_FILES", 2)
    with pytest.raises(QueryError):
        files.take("c.md", io.BytesIO(b""))


@pytest.mark.parametrize("said", ["0", "many"])
def test_a_limit_is_a_number(monkeypatch, said):
    monkeypatch.setenv("KHUB_UPLOAD_MB", said)
    with pytest.raises(KhubError):
        largest_file()
