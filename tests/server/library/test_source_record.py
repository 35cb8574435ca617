"""A file is identified as the ingest identifies it."""

import pytest

from khub.components.errors import SourceError
from khub.components.ingest.integrity_check import IntegrityCheck
from khub.server.library.source_record import source_record

pytestmark = pytest.mark.unit


def test_a_record_is_that_of_the_ingest(notes):
    path = str(notes / "fish.txt")
    (record,) = IntegrityCheck().run([path], "birds")["sources"]
    record = {key: record[key] for key in ("path", "doc_id", "sha256", "size")}
    assert source_record(path, "birds") == record
    assert source_record(path, "other")["doc_id"] != record["doc_id"]


def test_what_is_no_readable_file_is_told(notes, monkeypatch):
    (notes / "empty.md").write_bytes(b"")
    for name, said in (("gone.md", "does not exist"), (".", "is a directory"), ("empty.md", "is empty")):
        with pytest.raises(SourceError, match=said):
            source_record(str(notes / name), "x")
