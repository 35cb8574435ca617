"""The table of attacks has a row for each figure."""

import pytest

from khub.eval.bench.attacks import report

pytestmark = pytest.mark.unit


def test_each_figure_is_a_row_that_names_its_test():
    row = {"attack": "1 GB", "measured": "413", "bar": "refused", "test": "tests/soak/test_service_uploads.py::test_a"}
    table = [line for line in report([row, row], 90).splitlines() if line.startswith("|")]
    assert table[2:] == ["| 1 GB | refused | 413 | `test_service_uploads.py::test_a` |"] * 2
