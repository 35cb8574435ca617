"""The evidence of a passage on one line."""

import pytest

from khub.components.answer import Citation
from khub.components.answers.answer_line import answer_line

pytestmark = pytest.mark.unit

LIST = "- **Clean** the `filter`\n  every week."
TABLE = "| Part | Price | Stock |\n| --- | --- | --- |\n| Hose | 4 EUR |  |\n| Pump | 9 EUR | 3 |"


@pytest.mark.parametrize(
    ("text", "evidence", "held", "not_held"),
    [
        (LIST, LIST, "Clean the filter every week.", "*"),
        (TABLE, "| Pump | 9 EUR | 3 |", "Price: 9 EUR", "4 EUR"),
        (TABLE, "| Hose | 4 EUR |  |", "Price: 4 EUR", "Stock"),
        ("| a | b |\n| c | d |", "| c | d |", "d", "|"),
        ("See [IMAGE: d1_p1] the valve.", "See [IMAGE: d1_p1] the valve.", "the valve", "IMAGE"),
        ("Two kinds:\n\n- local ones\n- **global** ones\n\nAll.", "Two kinds:", "local ones; global ones", "All"),
        ("限制如下：每张表 256MB。\n其他。", "限制如下：", "限制如下： 每张表 256MB", "其他"),
        ("As follows:\n\n## Next\n\nText", "As follows:", "As follows:", "Next"),
        ("Nothing.", "", "", "Nothing"),
    ],
)  # fmt: skip
def test_a_line_says_the_evidence_without_marks_and_with_the_heads_of_its_columns(text, evidence, held, not_held):
    line = answer_line(Citation(1, "c1", text=text, evidence=evidence))
    assert held in line
    assert not_held not in line
    assert "\n" not in line
