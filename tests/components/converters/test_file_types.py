from pathlib import Path

import pytest

from khub.components.converters.file_types import (
    CONVERTED_TYPES,
    SAVE_AS,
    SUPPORTED_EXTENSIONS,
    TEXT_TYPES,
    declared_extensions,
    doc_type_of,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("name", "doc_type"),
    [
        ("a.pdf", "pdf"),
        ("报告.DOCX", "docx"),
        ("a.b.xlsm", "xlsx"),
        ("t.tsv", "csv"),
        ("x.HTM", "html"),
        ("README.md", "markdown"),
        ("a.rst", "text"),
        ("a.py", "code"),
        ("a.yaml", "code"),
        ("a.DOC", "docx"),
        ("a.pps", "pptx"),
        ("a.ods", "xlsx"),
        ("a.dotm", "docx"),
        ("IMG_1.JPG", "image"),
        ("a.wps", None),
        ("Makefile", None),
        (".gitignore", None),
    ],
)
def test_type_by_extension(name, doc_type):
    assert doc_type_of(Path(name)) == doc_type


def test_each_extension_has_one_meaning():
    assert not set(CONVERTED_TYPES) & set(TEXT_TYPES)
    assert not set(SAVE_AS) & SUPPORTED_EXTENSIONS
    assert set(SAVE_AS.values()) <= SUPPORTED_EXTENSIONS
    assert all(doc_type_of(Path("x" + extension)) for extension in SUPPORTED_EXTENSIONS)


@pytest.mark.parametrize("declared", [".gpx", (".GPX",), ["gpx"]])
def test_an_extension_may_be_declared_in_any_form(declared):
    assert declared_extensions(declared) == {".gpx"}
