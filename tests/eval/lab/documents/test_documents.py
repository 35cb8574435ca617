import pypdfium2
import pytest

from khub.components.errors import KhubError
from khub.eval.lab.documents import render
from khub.eval.lab.documents.__main__ import chosen_documents, known
from khub.eval.lab.documents.generate import generate
from khub.eval.lab.documents.render import RENDERERS
from khub.eval.lab.documents.run import measure
from khub.eval.lab.documents.words import missing_words

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("name", ["chromium", "libreoffice"])
def test_two_documents_are_printed_and_read(name, needs_program, tmp_path):
    renderer = RENDERERS[name]
    needs_program(renderer.program, render.PACKAGES[renderer.program])
    chosen = [document for document in generate() if document.name in {"en-manual-1", "zh-research-2"}]
    rows, reasons = measure(chosen, [name], ["khub"], tmp_path)
    assert not reasons
    assert [row["name"] for row in rows] == ["en-manual-1", "zh-research-2"]
    for document, row in zip(chosen, rows, strict=True):
        assert not row["error"]
        assert row["pages"] >= 3
        assert row["order"] > 0.5
        assert row["notes_found"] == 2
        printed = next((tmp_path / name).glob(f"{document.name}.*.pdf"))
        count, missing = missing_words(truth_text(document), pdf_text(printed))
        assert missing.total() < 0.01 * count
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / name).glob("*.pdf")}
    render.render(chosen, renderer, tmp_path)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / name).glob("*.pdf")} == before


def truth_text(document):
    from khub.eval.lab.documents.structure import truth_of

    return truth_of(document).text


def pdf_text(file):
    with pypdfium2.PdfDocument(file) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def test_a_missing_program_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(render.shutil, "which", lambda name: None)
    rows, reasons = measure(generate()[:1], ["chromium", "libreoffice"], ["khub"], tmp_path)
    assert not rows
    assert "install the Debian package 'chromium'" in reasons[0]
    assert "libreoffice-writer-nogui" in reasons[1]


def test_a_program_that_prints_nothing_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(render, "_call", lambda command: None)
    with pytest.raises(KhubError, match="did not print"):
        render.render(generate()[:1], RENDERERS["libreoffice"], tmp_path)


def test_documents_are_chosen_by_name():
    assert {document.language for document in chosen_documents(["zh-*"])} == {"zh"}
    assert len(chosen_documents(["en-manual-1", "zh-manual-1"])) == 2
    with pytest.raises(KhubError, match="no document"):
        chosen_documents(["nothing"])
    with pytest.raises(KhubError, match="'x' is not known"):
        known(["x"], ["khub"])
