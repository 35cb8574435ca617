"""The tables of the endurance bench say what was measured, and its scan is one."""

import io

import pypdfium2
import pytest

from khub.eval.bench.endurance import _drawn_scan, _report

pytestmark = pytest.mark.unit
ON = {"machine": "2 cores", "date": "2026-01-01"}


def test_each_point_stands_in_the_tables() -> None:
    point = {"done": 1000, "service_mb": 400, "jobs_mb": 900, "threads": 9, "files": 22}
    times = [{"pages": 0, "p50_ms": 20.5, "p95_ms": 40.0}, {"pages": 500, "p50_ms": 30.0, "p95_ms": 60.0}]
    said = _report({"uploads": {"points": [point], **ON}, "scan": {"points": times, **ON}})

    assert "| 1,000 | 400 | 900 | 9 | 22 |" in said
    assert "| none | 20.5 | 40.0 |" in said
    assert "| 500 | 30.0 | 60.0 |" in said
    assert "sessions" not in said


def test_a_scan_has_pages_without_text() -> None:
    with pypdfium2.PdfDocument(io.BytesIO(_drawn_scan(3))) as document:
        assert len(document) == 3
        assert document[0].get_textpage().get_text_bounded() == ""
