"""Any MarkItDown can have the hub's reader of PDF."""

import io
import tomllib

import pytest
from markitdown import MarkItDown, StreamInfo

from khub.components.converters import pdf_converter
from tests.conftest import ROOT

pytestmark = pytest.mark.unit


@pytest.fixture
def markitdown(monkeypatch):
    # The entry point of an editable install is as old as the install: the module is handed over as MarkItDown finds it.
    monkeypatch.setattr("markitdown._markitdown._plugins", [pdf_converter])
    return MarkItDown(enable_plugins=True)


@pytest.fixture
def file(make_pdf):
    data = make_pdf(["Herons wade slowly in shallow water.\nThey stand still.", "Second page"], title="Herons")
    return io.BytesIO(data)


@pytest.mark.parametrize("known_by", [{"extension": ".pdf"}, {"mimetype": "application/pdf"}, {}])
def test_a_markitdown_with_plugins_reads_pdf_by_it(markitdown, file, known_by):
    result = markitdown.convert_stream(file, stream_info=StreamInfo(**known_by))
    assert isinstance(result, pdf_converter.PagedResult)
    assert result.title == "Herons"
    assert result.markdown == "Herons wade slowly in shallow water.\n\nThey stand still.\n\nSecond page"


def test_what_it_cannot_read_is_left_to_markitdown(markitdown):
    assert markitdown.convert_stream(io.BytesIO(b"# Notes"), stream_info=StreamInfo(extension=".md")).markdown


def test_the_package_names_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["markitdown.plugin"] == {"khub_pdf": pdf_converter.__name__}
