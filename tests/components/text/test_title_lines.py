"""Which lines can be the title of a document."""

import pytest

from khub.components.text.title_lines import can_be_title, is_organisation, is_section, says_little, topic_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "line",
    [
        "演讲人姓名：苍鹭",
        "FOR MEDIA OR OTHER INQUIRIES:",
        "Report submitted to the Ministry of Herons",
        "Prepared by: the wading group",
        "© 2024 Heron Press",
        "Copyright 2024 Heron Press",
        "January 2005",
        "2019年07月12日",
        "MAIN GAME ...................... 6",
        "(Institute of Wading, Heron City 100190)4",
        "Please read the instructions before you fill in this form",
        "请在填写前阅读说明",
        "每个元素由三部分组成。",
        "page 1 / 1",
    ],
)
def test_what_is_no_title(line):
    assert not can_be_title(line)


@pytest.mark.parametrize(
    "line",
    [
        "Herons: more wading this year",
        "苍鹭股份（600000.SH）：扩产四千万只，强化涉水布局",
        "Submission of herons to the census",
        "2024 年苍鹭观察年度报告",
        "1984 and after",
        "Herons Inc. and the river",
        "Wading by night",
        "请假系统接口设计说明书",
    ],
)
def test_what_can_be_one(line):
    assert can_be_title(line)
    assert not is_section(line)


@pytest.mark.parametrize(
    "line",
    [
        "第二章 聘用规定",
        "1. 下载安装包",
        "1 排序",
        "简介",
        "Contents",
        "一、导言",
        "What it does:",
        "修订记录",
        "伍、 討論事項",
    ],
)
def test_a_section_names_no_document(line):
    assert is_section(line)


def test_a_bare_number_other_than_that_of_a_first_section_may_begin_a_title():
    assert not is_section("10 ways to wade")
    assert is_section("1 Ways to wade")


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("苍鹭科技股份有限公司", True),
        ("苍鹭大学", True),
        ("UNITED STATES SECURITIES AND EXCHANGE COMMISSION", True),
        ("Department of Veterans Affairs", True),
        ("Heron Holdings Inc.", True),
        ("苍鹭科技股份有限公司章程", False),
        ("Form 10-K · Heron Holdings Inc.", False),
        ("Herons of the river", False),
    ],
)
def test_whose_a_document_is_does_not_name_it(title, is_one):
    assert is_organisation(title) is is_one
    assert not is_one or says_little(title)


def test_a_topic_stands_behind_its_label():
    assert topic_of(["本科毕业论文", "论文题目：苍鹭的涉水行为研究", "姓 名：鹭"]) == "苍鹭的涉水行为研究"
    assert topic_of(["题 目 苍鹭的涉水行为研究"]) == "苍鹭的涉水行为研究"
    assert topic_of(["题目要求写清楚苍鹭的行为", "题目：鹭"]) is None
