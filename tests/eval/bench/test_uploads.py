"""The table of what uploads cost says what was measured, a row for each way to run jobs."""

import pytest

from khub.eval.bench.uploads import _report

pytestmark = pytest.mark.unit

ROW = {
    "uploads_s": [4.0, 1.0, 0.2, 0.3, 0.4], "files": 30, "single_s": 20.0, "folder_s": 8.0, "command_s": 9.0,
    "at_rest_s": 0.002, "idle_mb": 0, "arguments": "", "machine": "2 cores", "date": "2026-01-01",
}  # fmt: skip


def test_each_row_stands_in_the_table():
    said = _report([{**ROW, "name": "before"}, {**ROW, "name": "after", "idle_mb": 640}])
    assert "| before | 4.00 s | 1.00 s | 0.30 s | 0.40 s | 2 ms | none | 20.00 s | 8.00 s | 2.5 | 9.00 s |" in said
    assert "| after | 4.00 s" in said
    assert "| 640 MB |" in said
    assert "On 2 cores, 2026-01-01." in said
