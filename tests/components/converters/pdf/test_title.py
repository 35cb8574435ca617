"""The title of a PDF: what it prints on its first page, and when its metadata is believed."""

import pytest

from khub.components.converters.pdf.outline import OutlineEntry

pytestmark = pytest.mark.unit


def test_the_largest_heading_wins_over_the_first(lay_out, prose, seg):
    page = [seg(72, 60, "Journal of Birds", 14), seg(72, 90, "How Herons Wade", 22), *prose()]
    assert lay_out(page).title == "How Herons Wade"


def test_a_part_that_any_document_has_is_no_title(lay_out, prose, seg):
    page = [seg(72, 60, "How Herons Wade", 18), seg(72, 110, "Abstract", 14), *prose(), seg(72, 300, "1 Birds", 14)]
    outline = [OutlineEntry("Abstract", 1, 1), OutlineEntry("1 Birds", 1, 1)]
    assert lay_out([*page, *prose(y=330)], outline=outline).title == "How Herons Wade"
    assert lay_out([seg(72, 60, "Table of Contents", 18), *prose()]).title is None


def test_below_running_text_there_is_no_title(lay_out, prose, seg):
    stamp = seg(72, 500, "EFiled January 14", 30)
    assert lay_out([seg(72, 60, "In re Heron", 16), *prose(), stamp]).title == "In re Heron"
    assert lay_out([*prose(y=60), stamp]).title is None


def test_above_running_text_counts_by_place_not_by_column(lay_out, prose, seg):
    left = [seg(40, 100, "Analyst", 13), *prose(x=40, y=200, width=120, lines=12)]
    right = [seg(200, 100, "Herons: more wading this year", 20), *prose(x=200, y=220, width=340, lines=12)]
    assert lay_out([*left, *right]).title == "Herons: more wading this year"


def test_a_line_turned_up_the_margin_is_no_title(lay_out, prose, seg):
    stamp = seg(14, 60, "Oct", 20, angle=90)
    stamp.top, stamp.bottom, stamp.x1 = 40, 140, 34
    page = [seg(72, 60, "Wading", 16), *prose()]
    assert lay_out([stamp, *page]).title == "Wading"


def test_a_short_title_takes_the_next_lines_of_the_cover(lay_out, prose, seg):
    cover = [seg(72, 60, "Heron Storage Service", 16), seg(72, 100, "User Manual", 22), seg(72, 200, "Issue 26", 10)]
    assert lay_out(cover, [*prose()]).title == "Heron Storage Service · User Manual"
    chinese = [seg(72, 60, "苍鹭云存储", 16), seg(72, 100, "用户手册", 22)]
    assert lay_out(chinese, [*prose()]).title == "苍鹭云存储 · 用户手册"


def test_a_short_running_title_gives_way_to_a_larger_heading_below(lay_out, prose, seg):
    page = [seg(72, 60, "Nature", 14), *prose(y=100), seg(72, 300, "How Herons Wade", 24), *prose(y=340)]
    assert lay_out(page).title == "How Herons Wade"
    same = [seg(72, 60, "Wading", 20), *prose(y=100), seg(72, 300, "Feeding", 20), *prose(y=340)]
    assert lay_out(same).title == "Wading"


def test_lines_of_a_chinese_title_are_joined_without_a_space(lay_out, prose, seg):
    page = [seg(72, 60, "苍鹭观察年度", 22), seg(72, 86, "报告摘编", 22), *prose()]
    assert lay_out(page).title == "苍鹭观察年度报告摘编"


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Report on how herons wade", "Report on how herons wade"),
        ("Datasheet Search Engine", "How Herons Wade Slowly"),
        ("Contents", "How Herons Wade Slowly"),
        ("标准名称", "How Herons Wade Slowly"),
        ("Herons", "How Herons Wade Slowly"),
    ],
)
def test_metadata_is_believed_as_far_as_the_first_pages_say_it_and_more_than_one_word(
    lay_out, prose, seg, given, title
):
    page = [seg(72, 60, "How Herons Wade Slowly", 20), seg(72, 100, "a report on contents", 10), *prose()]
    assert lay_out(page, title=given).title == title


def test_metadata_is_believed_where_there_is_no_text(lay_out):
    assert lay_out([], title="Scanned lease").title == "Scanned lease"


def test_a_cover_gives_its_lines_of_one_size(lay_out, prose, seg):
    cover = [
        seg(72, 60, "UNITED STATES", 20),
        seg(72, 84, "SECURITIES COMMISSION", 20),
        seg(72, 130, "Washington, D.C.", 10),
        seg(72, 170, "FORM 10-K", 20),
        seg(72, 210, "Commission file number 1-95", 10),
        seg(72, 250, "HERON CO., INC.", 20),
        *prose(y=320),
    ]
    assert lay_out(cover).title == "UNITED STATES SECURITIES COMMISSION · FORM 10-K · HERON CO., INC."


def test_what_stands_below_a_table_or_a_long_text_is_no_part_of_the_title(lay_out, prose, seg):
    page = [seg(72, 60, "Wading", 20), *prose(y=110, lines=3), seg(72, 200, "Feeding", 20), *prose(y=240)]
    assert lay_out(page).title == "Wading"


def test_the_second_line_of_small_capitals_belongs_to_the_title(lay_out, prose, seg):
    page = [seg(72, 60, "WEAK TO STRONG", 20), seg(72, 84, "GENERAL WADING", 16), *prose()]
    assert lay_out(page).title == "WEAK TO STRONG GENERAL WADING"
    other = [seg(72, 60, "WEAK TO STRONG", 20), seg(72, 84, "Ann Heron", 16), *prose()]
    assert lay_out(other).title == "WEAK TO STRONG"


def test_the_first_page_may_be_a_picture(lay_out, prose, seg):
    assert lay_out([], [seg(72, 60, "Manual", 20), *prose()]).title == "Manual"
    assert lay_out([], [], [seg(72, 60, "Manual", 20), *prose()]).title is None


def test_a_title_stands_before_the_first_section(lay_out, prose, seg):
    page = [seg(72, 60, "1 Sorting", 22), *prose(y=100), seg(72, 300, "How Herons Wade", 24), *prose(y=340)]
    assert lay_out(page).title is None
    contents = [seg(72, 60, "目录", 28), *prose(y=100)]
    assert lay_out(contents, [seg(72, 60, "[病名] 鹭", 24), *prose(y=100)]).title is None


def test_whose_it_is_alone_is_no_title(lay_out, prose, seg):
    company = seg(72, 60, "苍鹭科技股份有限公司", 22)
    assert lay_out([company, *prose()], title="苍鹭科技股份有限公司").title is None
    below = [company, seg(72, 100, "薪酬委员会组织办法", 18), *prose()]
    assert lay_out(below, title="苍鹭科技股份有限公司").title == "苍鹭科技股份有限公司 · 薪酬委员会组织办法"


@pytest.mark.parametrize(
    "line",
    ["FOR MEDIA OR OTHER INQUIRIES:", "演讲人姓名：苍鹭", "Report submitted to the Heron Agency", "2019年07月12日"],
)
def test_labels_dates_and_who_made_it_are_no_titles(lay_out, prose, seg, line):
    assert lay_out([seg(72, 60, "How Herons Wade", 18), seg(72, 100, line, 24), *prose()]).title == "How Herons Wade"


def test_what_stands_in_brackets_need_not_be_said(lay_out, prose, seg):
    page = [seg(72, 60, "Select Herons List A", 12), *prose()]
    given = "Select Herons (Wading Birds of the Northern Rivers)"
    assert lay_out(page, title=given).title == given


def test_a_filing_is_named_by_company_kind_and_period(lay_out, prose, seg):
    cover = [
        seg(72, 60, "SECURITIES COMMISSION", 20),
        seg(72, 90, "FORM 10-K", 24),
        seg(72, 120, "For the fiscal year ended November 27, 2015", 10),
        seg(72, 150, "HERON SYSTEMS INCORPORATED", 20),
        seg(72, 180, "(Exact name of registrant as specified in its charter)", 8),
        *prose(y=320),
    ]
    title = lay_out(cover, title="HRN 10K FY15").title
    assert title.startswith("HERON SYSTEMS INCORPORATED")
    assert "10-K" in title
    assert "November 27, 2015" in title


def test_a_page_that_begins_with_running_text_ends_the_search(lay_out, prose, seg):
    later = [seg(72, 60, "OUR OPPORTUNITY", 18), *prose(y=100)]
    assert lay_out([*prose(y=60)], later).title is None
    assert lay_out([seg(72, 700, "printed in Heron City", 8)], later).title == "OUR OPPORTUNITY"


def test_much_larger_letters_are_a_title_whatever_they_were_taken_for(lay_out, prose, seg):
    line = seg(72, 60, "Application for Heronship", 20)
    line.mono = True
    assert lay_out([line, *prose(y=100)]).title == "Application for Heronship"


def test_a_label_or_a_part_above_a_larger_title_does_not_end_the_search(lay_out, prose, seg):
    release = [seg(72, 60, "FOR MEDIA OR OTHER INQUIRIES:", 12), seg(72, 110, "Herons Wade Again", 20), *prose(y=160)]
    assert lay_out(release).title == "Herons Wade Again"
    aside = [seg(72, 60, "Contents", 12), seg(72, 110, "The Heron Express", 20), *prose(y=160)]
    assert lay_out(aside).title == "The Heron Express"


def test_a_title_may_have_as_many_lines_as_a_paragraph(lay_out, prose, seg):
    lines = ["Networks of Herons", "in Rivers and Lakes", "First Exercise", "To Be Handed In", "Alone by Each Student"]
    block = [seg(120, 60 + 24 * row, line, 20) for row, line in enumerate(lines)]
    title = lay_out([*block, *prose(y=260, lines=12)]).title
    assert all(line in title for line in lines)


def test_an_address_above_the_title_is_no_running_text(lay_out, prose, seg):
    address = ["Azure Wading", "4557 De Silva St", "Fremont CA 94538", "United States", "Tel. 5550"]
    sender = [seg(72, 60 + 12 * row, line) for row, line in enumerate(address)]
    page = [*sender, seg(72, 160, "Invoice INV/2023/03/0008", 20), *prose(y=220)]
    assert lay_out(page).title == "Invoice INV/2023/03/0008"


@pytest.mark.parametrize("first", ["Step by Step:", "On Waders, Herons,"])
def test_a_line_that_goes_on_is_the_first_of_the_title(lay_out, prose, seg, first):
    page = [seg(150, 60, first, 26), seg(72, 120, "Watching at the River", 26), *prose(y=200)]
    assert lay_out(page).title == f"{first} Watching at the River"
    label = [seg(72, 60, "FOR MEDIA:", 20), seg(72, 110, "1 Herons", 14), *prose(y=160)]
    assert lay_out(label).title is None


def test_lines_of_one_size_are_one_title_though_one_is_bold(lay_out, prose, seg):
    cover = [seg(72, 60, "Heron Portable Format", 18, bold=True), seg(72, 86, "Inventory of Wading Risks", 18)]
    title = lay_out(cover, [seg(72, 60, "Revisions", 14, bold=True), *prose(y=100)]).title
    assert title == "Heron Portable Format Inventory of Wading Risks"


def test_the_kind_of_the_document_below_its_title_belongs_to_it(lay_out, prose, seg):
    cover = [seg(72, 60, "Heron Lite Water Bridge", 22), seg(72, 100, "Datasheet", 12), seg(72, 130, "J. Wader", 12)]
    assert lay_out(cover, prose()).title == "Heron Lite Water Bridge · Datasheet"
    named = [seg(72, 60, "Heron Lite Bridge Manual", 22), seg(72, 100, "Datasheet", 12)]
    assert lay_out(named, prose()).title == "Heron Lite Bridge Manual"


@pytest.mark.parametrize(
    "lines",
    [
        {"苍鹭大学": 40, "工程硕士学位论文": 44, "苍鹭涉水行为的预测与实现": 22},
        {"毕业设计（论文）": 40, "苍鹭涉水行为的预测与实现": 22},
        {"毕业论文": 40, "论文题目：苍鹭涉水行为的": 22, "预测与实现": 22},
        {"本科实验报告": 40, "课程名称：观测": 22, "实验名称：苍鹭涉水行为的预测与实现": 22},
    ],
)
def test_the_cover_of_a_thesis_gives_its_topic(lay_out, prose, seg, lines):
    cover = [seg(72, 80 + 80 * row, line, size) for row, (line, size) in enumerate(lines.items())]
    labels = ["作者姓名：鹭", "专 业：水文", "指导教师(校外)：鸥"]
    below = [seg(72, 400 + 30 * row, label, 16) for row, label in enumerate(labels)]
    title = lay_out([*cover, *below], prose()).title
    assert title.endswith("苍鹭涉水行为的预测与实现")
    assert title.startswith(next(iter(lines)))
    assert "鸥" not in title


def test_a_document_of_one_chapter_is_that_chapter(lay_out, prose, seg):
    page = [seg(72, 60, "第3章 苍鹭观测的过程", 23), seg(72, 110, "3.1 概述", 14), *prose(y=140)]
    assert lay_out(page).title == "第3章 苍鹭观测的过程"
    two = [seg(72, 60, "第4章 苍鹭的迁徙", 23), *prose(y=140)]
    assert lay_out(page, two).title is None
    english = [seg(72, 60, "Chapter 1", 24), seg(72, 110, "What Is a Heron?", 24), *prose(y=160)]
    assert lay_out(english).title == "Chapter 1 What Is a Heron?"
    assert lay_out([*prose(y=60), *[seg(72, 300, "第3章 苍鹭", 23)], *prose(y=340)]).title is None


def test_metadata_is_believed_where_the_first_page_is_a_picture(lay_out, prose, seg):
    inside = [seg(72, 60, "目 錄", 22), *prose(y=100)]
    assert lay_out([], inside, title="苍鹭110年股東常會議事手冊").title == "苍鹭110年股東常會議事手冊"
    assert lay_out([], inside, title="YS015789¨ÎÀs¬ì§Þ¤uµ{(¶lÂ²12)").title is None


def test_metadata_of_another_year_is_not_believed(lay_out, prose, seg):
    page = [seg(72, 60, "111 年度苍鹭觀測評估表", 16), *prose(y=100)]
    assert "111" in lay_out(page, title="106年度苍鹭觀測評估表").title


def test_a_remark_in_brackets_makes_no_title_of_a_form(lay_out, prose, seg):
    page = [seg(72, 40, "Form W-9 (Rev. March 2024)", 8), seg(72, 70, "Request for Heron Numbers", 14), *prose(y=120)]
    assert lay_out(page, title="Form W-9 (Rev. March 2024)").title == "Request for Heron Numbers"
