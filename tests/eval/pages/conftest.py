import json

import pytest

from khub.eval.commands.pages import pages
from tests.eval.measuring import asked, runner, unchanged_code

__all__ = ["asked", "unchanged_code"]

REST = [f"Line {i} of this page tells of the weather on some day of the year." for i in range(20)]  # fills the page
BIRDS = ["Herons wade in shallow water.", "Kingfishers nest in steep banks.", "Owls hunt voles at night."]
ROBOTS = ["The battery lasts eleven hours.", "The left arm lifts forty kilograms."]
QUESTIONS = [
    {"id": "q1", "question": "Where do kingfishers nest?", "answer": "banks", "answerable": True,
     "evidence": [{"source": "birds.pdf", "page": 2}]},
    {"id": "q2", "question": "How long does the battery last?", "answer": "11 h", "answerable": True,
     "evidence": [{"source": "more/robots.pdf", "page": 1}]},
    {"id": "q3", "question": "Which tax did Hannibal levy?", "answer": "", "answerable": False, "evidence": []},
]  # fmt: skip


def write_pdf(texts):
    """A minimal PDF: a line of Helvetica on each page, and the rest of a page below it."""
    kids = " ".join(f"{10 + 2 * i} 0 R" for i in range(len(texts)))
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {len(texts)} /Kids [{kids}] >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    for index, text in enumerate(texts):
        lines = "".join(f"1 0 0 1 72 {720 - 20 * i} Tm ({line}) Tj " for i, line in enumerate([text, *REST]))
        stream = f"BT /F1 12 Tf {lines}ET"
        objects[10 + 2 * index] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {11 + 2 * index} 0 R >>"
        )
        objects[11 + 2 * index] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    out, offsets = bytearray(b"%PDF-1.7\n"), {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    start, size = len(out), max(objects) + 1
    out += f"xref\n0 {size}\n".encode()
    for number in range(size):
        out += (f"{offsets[number]:010d} 00000 n \n" if number in offsets else "0000000000 65535 f \n").encode()
    return bytes(out + f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())


@pytest.fixture
def page_set(tmp_path):
    """Return a function that writes a set of two PDFs with questions and returns its folder."""

    def write(name="small", questions=QUESTIONS):
        folder = tmp_path / name
        (folder / "documents" / "more").mkdir(parents=True)
        (folder / "documents" / "birds.pdf").write_bytes(write_pdf(BIRDS))
        (folder / "documents" / "more" / "robots.pdf").write_bytes(write_pdf(ROBOTS))
        lines = [question if isinstance(question, str) else json.dumps(question) for question in questions]
        (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder

    return write


@pytest.fixture
def khub(tmp_path):
    """Return a function that runs `khub eval pages` and gives its result, with the JSON report as `report`."""
    return runner(pages, "pages.json", tmp_path / "out")
