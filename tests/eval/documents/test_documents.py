import json
import sys

import pypdfium2
import pytest
from typer.testing import CliRunner

from components.errors import KhubError
from eval.documents import folder, render, speed
from eval.documents.__main__ import app, chosen_documents, known, shown_command
from eval.documents.generate import generate
from eval.documents.render import RENDERERS
from eval.documents.run import measure
from eval.documents.words import missing_words

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
    from eval.documents.structure import truth_of

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


def test_generate_writes_markdown(tmp_path):
    done = CliRunner().invoke(app, ["generate", "--work", str(tmp_path), "--name", "en-finance-0"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "truth" / "en-finance-0.md").read_text(encoding="utf-8").startswith("# ")


@pytest.fixture
def files(tmp_path):
    made = tmp_path / "files"
    made.mkdir()
    document = pypdfium2.PdfDocument.new()
    document.new_page(300, 300)
    document.save(made / "empty.pdf")
    (made / "damaged.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (made / "notes.md").write_text("# Notes\n\nA line.\n", encoding="utf-8")
    (made / "text.pdf").write_bytes(pdf_of("Herons wade in shallow water"))
    return made


def pdf_of(text):
    """A PDF of one page with a line of Helvetica."""
    stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"%PDF-1.4\n"
    for number, content in enumerate(objects, 1):
        body += b"%d 0 obj%s endobj\n" % (number, content)
    return body + b"trailer<</Root 1 0 R>>\n"


def test_every_file_of_a_folder_ends_somehow(files, tmp_path):
    done = CliRunner().invoke(app, ["bad", str(files), "--out", str(tmp_path / "results")])
    assert done.exit_code == 0, done.output
    rows = {row["file"]: row for row in json.loads((tmp_path / "results/documents.json").read_text())["bad"]["data"]}
    assert rows["damaged.pdf"]["outcome"] == "failure"
    assert "damaged" in rows["damaged.pdf"]["error"]
    assert rows["text.pdf"]["outcome"] == "read"
    assert rows["text.pdf"]["peak_mb"] > 20
    assert len(rows) == 4
    assert "damaged.pdf" in (tmp_path / "results/documents.md").read_text(encoding="utf-8")


def test_pages_and_words_of_pdf_files(files):
    rows = {row["file"]: row for row in folder.read_pages(files)}
    assert set(rows) == {"damaged.pdf", "empty.pdf", "text.pdf"}
    read = rows["text.pdf"]
    assert (read["pages"], read["accounted"], read["words"], read["words_found"]) == (1, True, 5, 1.0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script")
def test_a_crash_and_a_hang_are_told(files, monkeypatch, tmp_path):
    program = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(program))
    program.write_text("#!/bin/sh\necho oh no >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    assert folder.read_one(files / "text.pdf")["error"] == "exit status 3: oh no"
    program.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    monkeypatch.setattr(folder, "START_S", 0.2)
    monkeypatch.setattr(folder, "PAGE_S", 0.1)
    assert folder.read_one(files / "text.pdf")["outcome"] == "hang"


def test_speed_of_both_engines(files):
    (row,) = speed.measure_speed([files / "text.pdf"])
    assert row["pages"] == 1
    assert row["khub pages/s"] > 0
    assert row["times"] == pytest.approx(row["khub pages/s"] / row["markitdown pages/s"], rel=0.2)
    assert row["khub characters"] > 0
    assert row["pool of 2, times"] > 0


def test_results_show_no_path_of_the_machine(tmp_path):
    shown = shown_command(["speed", str(tmp_path / "report.pdf"), "--out", "eval/results"])
    assert shown == "python -m eval.documents speed report.pdf --out eval/results"
