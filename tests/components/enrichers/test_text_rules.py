"""Rules that mend what converting left in running text."""

import pytest

from components.enrichers.edits import apply_edits
from components.enrichers.text_rules import drop_page_numbers, join_broken_lines, mend, mend_garbled, shorten_dots

pytestmark = pytest.mark.unit

RULES = {
    "garbled": mend_garbled, "page_numbers": drop_page_numbers, "broken_lines": join_broken_lines, "dots": shorten_dots,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("garbled", "A caf\u00c3\u00a9 in Paris.", "A café in Paris."),
        ("garbled", "Price (cid:12)(cid:13) 12 euro", "Price 12 euro"),
        ("garbled", "Read this.\n\ufffd\ufffd\ufffdx\ufffd\n\nAnd this.", "Read this.\n\nAnd this."),
        ("garbled", "正文在此。\n\n锟斤拷锟斤拷锟斤拷\n\n另一段。", "正文在此。\n\n另一段。"),
        ("page_numbers", "第一段。\n\n第 3 页 共 10 页\n\n第二段。", "第一段。\n\n第二段。"),
        ("page_numbers", "Text.\n\nPage 3 of 10\n\nMore.", "Text.\n\nMore."),
        ("page_numbers", "Text.\n\n- 3 -\n\nMore.", "Text.\n\nMore."),
        ("broken_lines", "The robot stops as soon as the laser\nscanner sees a person in its way.",
         "The robot stops as soon as the laser scanner sees a person in its way."),
        ("broken_lines", "机器人在激光扫描仪发现前方有人时会立即停\n止运行，并发出提示音。",
         "机器人在激光扫描仪发现前方有人时会立即停止运行，并发出提示音。"),
        ("broken_lines", "It is checked whenever somebody has main-\ntained the machine.",
         "It is checked whenever somebody has maintained the machine."),
        ("broken_lines", "The well-known rule. It is so well and long and well-\nknown to all.",
         "The well-known rule. It is so well and long and well-known to all."),
        ("dots", "1 Safety ........................ 12", "1 Safety … 12"),
        ("dots", "第一章 总则 ………………… 3", "第一章 总则 … 3"),
    ],
)  # fmt: skip
def test_a_rule_mends_what_it_is_for_and_nothing_else(rule: str, text: str, expected: str) -> None:
    assert mend(text) == expected
    for name, edits in RULES.items():
        assert apply_edits(text, edits(text)) == (expected if name == rule else text)


@pytest.mark.parametrize(
    "text",
    [
        "Lantern Robotics\nHarbour Street 12\nRotterdam",
        "- first point of the list goes here\n- second point of the list",
        "| a | b |\n| --- | --- |\n| Page 3 | ..... |",
        "```\nfor line in lines of this program\n    print ......\n```",
        "---\ntitle: x ..........\n---\n\nText.",
        "# A heading that is long enough to be a line\nand text under it.",
        "It ends here.\nThe next line is a sentence of its own.",
        "In 2024 there were 17 of them.\n\n17\n\nSo it was.",
        "版本 1.2.3.4.5 已发布。",
        "[IMAGE: manual_3_1]\nand what stands behind the picture here",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert mend(text) == text
