"""What `khub ingest` says of stages for which something simpler stood in."""

import pytest

from khub.server.commands.ingest_report import tell_troubles
from khub.server.library.ingest_result import IngestResult

pytestmark = pytest.mark.unit


def degraded(source, chunks, stage="refine", reason="no answer in 60 s"):
    return {"stage": stage, "reason": reason, "source": source, "chunks": chunks}


def told(capsys, *entries):
    tell_troubles(IngestResult("notes", "ingest", degraded=list(entries)))
    return capsys.readouterr().err.splitlines()


def test_one_line_for_each_stage_and_reason(capsys):
    lines = told(
        capsys,
        {"stage": "embed", "reason": "khub-fast stands in"},
        degraded("/n/a.md", 2),
        degraded("/n/b.md", 1),
        degraded("/n/b.md", 1, "caption"),
        degraded("/n/a.md", 1, reason="server error"),
    )
    again = "ingest again to ask for these alone"
    assert lines == [
        "khub: embed degraded: khub-fast stands in",
        f"khub: refine degraded in 2 documents (3 chunks): no answer in 60 s: {again}",
        f"khub: caption degraded in b.md (1 chunk): no answer in 60 s: {again}",
        f"khub: refine degraded in a.md (1 chunk): server error: {again}",
    ]


def test_pages_that_could_not_be_read_are_counted_with_their_own_remedy(capsys):
    pages = {"stage": "convert", "reason": "left out", "chunks": 1, "remedy": "read it by OCR"}
    lines = told(
        capsys, {**pages, "source": "/n/a.pdf", "pages": [2]}, {**pages, "source": "/n/b.pdf", "pages": [1, 3]}
    )
    assert lines == ["khub: 2 documents (3 pages): left out: read it by OCR"]


def test_nothing_where_nothing_was(capsys):
    assert told(capsys) == []
