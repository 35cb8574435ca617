"""The doctor in a process of its own."""

import shutil
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import KhubError
from khub.server.library.examination import Examination
from khub.server.library.ingest import ingest


def _examined(repair=False):
    examination = Examination(repair)
    examination.wait()
    assert examination.is_over()
    return examination.findings()


@pytest.mark.integration
def test_a_lost_index_is_found_and_rebuilt(tmp_path):
    file = tmp_path / "herons.md"
    file.write_text("# Herons\n\nHerons wade slowly.\n", encoding="utf-8")
    ingest([str(file)], "birds", "ingest_fast")
    shutil.rmtree(next((Path(open_catalog().home) / "sparse").iterdir()))
    (found,) = _examined()
    assert not found["healthy"]
    assert found["problems"]
    (found,) = _examined(repair=True)
    assert found["healthy"]
    assert found["repaired"]


@pytest.mark.integration
def test_a_catalog_that_cannot_be_read_is_told():
    home = open_catalog().home
    home.mkdir(exist_ok=True)
    (home / "catalog.sqlite3").write_bytes(b"no catalog" * 1000)
    with pytest.raises(KhubError, match="cannot be used"):
        _examined()
