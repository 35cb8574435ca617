"""Lines that converting left broken."""

import pytest

from khub.components.enrichers.broken_lines import join_broken_lines

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The robot stops as soon as the laser\nscanner sees a person in its way.",
         "The robot stops as soon as the laser scanner sees a person in its way."),
        ("机器人在激光扫描仪发现前方有人时会立即停\n止运行，并发出提示音。",
         "机器人在激光扫描仪发现前方有人时会立即停止运行，并发出提示音。"),
        ("It is checked whenever somebody has main-\ntained the machine.",
         "It is checked whenever somebody has maintained the machine."),
        ("The well-known rule. It is so well and long and well-\nknown to all.",
         "The well-known rule. It is so well and long and well-known to all."),
    ],
)  # fmt: skip
def test_broken_lines_are_joined(text: str, expected: str) -> None:
    assert join_broken_lines(text) == expected


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
    assert join_broken_lines(text) == text
