"""Paths and patterns name documents."""

import pytest

from khub.server.library.source_pattern import is_meant

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("manuals/pump.md", True), ("manuals", True), ("./manuals/", True), ("manuals/*.md", True), ("*.md", True),
        ("pump.*", True), ("[p]ump.md", True), ("manual", False), ("*.pdf", False), ("other/*.md", False),
        ("pump", False), ("manuals/pump.md.bak", False),
    ],
)  # fmt: skip
def test_a_file_is_meant_by_its_path_a_folder_or_a_pattern(pattern, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_meant(str(tmp_path / "manuals" / "pump.md"), pattern) is meant


def test_a_row_is_meant_by_its_table_and_by_its_own_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = f"{tmp_path / 'parts.csv'}#row=7"
    assert all(is_meant(row, pattern) for pattern in ("parts.csv", "*.csv", row))
    assert not is_meant(row, "row=7")
