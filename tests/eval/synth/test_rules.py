"""What each rule drafts, in both languages, and what it leaves alone."""

import pytest

from khub.eval.evaluators.matching import normalised
from khub.eval.synth.definitions import definitions
from khub.eval.synth.drafting import choose, draft_by_rules
from khub.eval.synth.headings import headings
from khub.eval.synth.identifiers import identifiers
from khub.eval.synth.numbers import numbers
from khub.eval.synth.tables import table_cells

pytestmark = pytest.mark.unit


def asked(rule, text):
    return [(draft.question, draft.answer) for draft in rule(text)]


@pytest.mark.parametrize(
    ("sentence", "drafts"),
    [
        ("The catalog is the database that is true.", [("What is the catalog?", "the database that is true")]),
        ("A **chunk** is a piece of text.", [("What is a chunk?", "a piece of text")]),
        ("倒排索引是一种从词到文档的映射。", [("什么是倒排索引？", "一种从词到文档的映射")]),
        ("召回率是指找到的相关文档所占的比例。", [("什么是召回率？", "找到的相关文档所占的比例")]),
        ("This is the reason for it all.", []),
        ("Storage The robot is a machine with wheels.", []),  # a heading has run into it
        ("这是一种常见的做法和误解。", []),
    ],
)
def test_definitions(text_of, sentence, drafts):
    assert asked(definitions, text_of(f"Words before.\n\n{sentence}\n")) == drafts


@pytest.mark.parametrize(
    ("line", "drafts"),
    [
        ("The charging time is 70 minutes.", [("What is the charging time?", "70 minutes")]),
        ("The restart takes 40 seconds in all.", [("How many seconds does the restart take?", "40 seconds")]),
        ("Maximum payload 300 kg", [("What is the maximum payload?", "300 kg")]),
        ("Install updates within 72 hours", []),
        ("服务器之间的时钟误差不得超过 2 秒，请统一时间。", [("服务器之间的时钟误差不得超过多少秒？", "2 秒")]),
        ("漫游套餐每天不超过 30 元。", [("漫游套餐每天不超过多少元？", "30 元")]),
        ("它最多 3 次。", []),
        ("It is 5 m long.", []),
    ],
)
def test_numbers(text_of, line, drafts):
    assert asked(numbers, text_of(f"{line}\n")) == drafts


def test_cells_of_tables(text_of):
    text = text_of(
        "| Part | Price (EUR) | Who orders it |\n|---|---|---|\n| Wheel | 240 | Stores |\n| Filter | 42 | Anyone |\n"
        "| LR-90 | 7 | |\n| Twin | 1 | x |\n| Twin | 2 | y |\n\n"
        "| 端口 | 用途 |\n|---|---|\n| 8443 | 网页控制台 |\n| 时延 | 20 |\n"
    )
    assert asked(table_cells, text) == [
        ("What is the price (EUR) of Wheel?", "240"),
        ("Filter: who orders it?", "Anyone"),
        ("What is the price (EUR) of part LR-90?", "7"),
        ("端口 8443 的用途是什么？", "网页控制台"),
        ("时延的用途是多少？", "20"),
    ]
    assert [draft.kind for draft in table_cells(text)][2] == "identifier"
    assert next(table_cells(text)).evidence == "Wheel | 240 | Stores"


def test_identifiers(text_of):
    text = text_of(
        "Codes in short.\nE-4012 Scanner window blocked\n\nSet KHUB_TRACE for more detail. By SHA-256 we compare.\n\n"
        "A range from E-1000 to E-1999 is free.\n\n如果提示 AUTH-103，说明许可证已过期。\n"
    )
    assert asked(identifiers, text) == [
        ("What does E-4012 mean?", "Scanner window blocked"),
        ("What does KHUB_TRACE refer to?", "Set KHUB_TRACE for more detail."),
        ("AUTH-103 指的是什么？", "如果提示 AUTH-103，说明许可证已过期。"),
    ]


def test_headings(text_of):
    text = text_of(
        "# Manual\n\nWords of it.\n\n## 4.2 End of the shift\n\nSend the fleet to the stations. Then go.\n\n"
        "## How long is it kept?\n\nFor 400 days, then it goes.\n\n## Overview\n\nThis and that and more.\n\n"
        "## 发票要求\n\n抬头必须完整无误，税号也是。\n"
    )
    assert asked(headings, text) == [
        ("What does “Manual” say about “End of the shift”?", "Send the fleet to the stations."),
        ("How long is it kept?", "For 400 days, then it goes."),
        ("《Manual》对“发票要求”是怎么说的？", "抬头必须完整无误，税号也是。"),
    ]


def test_headings_and_pages_of_a_pdf(text_of):
    first = "4 Use\nSome words to begin with.\n4.1 Before the shift\nWalk around the\nrobot once. Look.\n"
    text = text_of(
        first + "\n4.2 第二页的标题\n先申请，后出差，\n未经批准的不予报销。\n",
        page_starts=[0, len(first)],
        doc_type="pdf",
    )
    drafts = list(headings(text))
    assert [(draft.evidence, draft.page) for draft in drafts] == [
        ("Walk around the robot once.", 1),
        ("先申请，后出差，未经批准的不予报销。", 2),
    ]


def test_the_choice_takes_of_each_rule_from_everywhere(text_of):
    rules = [[f"a{n}" for n in range(9)], ["b0"], [], [f"d{n}" for n in range(9)]]
    assert choose(rules, 7) == ["a1", "a4", "a7", "b0", "d1", "d4", "d7"]
    assert len(choose(rules, 100)) == 19


def test_no_question_is_drafted_twice_and_all_are_proven(text_of):
    one, other = text_of("The catalog is the database of all.\n"), text_of("The catalog is the list of it.\n", "b.md")
    drafts = draft_by_rules([one, other], 5)
    assert [(draft.question, draft.source) for draft in drafts] == [("What is the catalog?", "a.md")]
    assert normalised(drafts[0].evidence) in normalised(one.document.content)
    assert draft_by_rules([text_of("The catalog is the [database of all](http://x.example/y) of it.\n")], 5) == []
    assert not draft_by_rules([text_of("The catalog is the database of all.\n", doc_type="code")], 5)
