"""What phase two makes of words and their places: order, headings, lists, code, footnotes, hyphens."""

from dataclasses import replace

import pytest

from khub.components.converters.pdf.layout import Figure, Ruling, Word
from khub.components.converters.pdf.outline import OutlineEntry

pytestmark = pytest.mark.unit


def headings(text):
    return [(block.level, block.text.lstrip("# ")) for block in text.blocks if block.kind == "heading"]


def test_columns_are_read_one_after_the_other(lay_out, prose):
    left = prose(72, 100, 8, 200, start="Leftone")
    right = prose(320, 100, 8, 200, start="Rightone")
    mixed = [part for pair in zip(left, right, strict=True) for part in pair]
    text = lay_out(mixed).pages[0]
    assert text.index("Rightone") > text.index(left[-1].text.split()[-1])
    assert text.count("\n\n") == 1


def test_a_line_over_both_columns_parts_them(lay_out, prose, seg):
    page = prose(72, 100, 5, 200, start="Aa") + prose(320, 100, 5, 200, start="Bb")
    page += [seg(72, 200, "A title that runs over both of the columns of this page, all the way to the end of it")]
    page += prose(72, 240, 5, 200, start="Cc") + prose(320, 240, 5, 200, start="Dd")
    text = lay_out(page).pages[0]
    places = [text.index(word) for word in ("Aa", "Bb", "A title", "Cc", "Dd")]
    assert places == sorted(places)


def test_a_note_in_the_margin_does_not_cut_the_text(lay_out, prose, seg):
    main = prose(200, 100, 12, 340)
    note = [seg(60, 117, "a note in the"), seg(60, 129, "margin here")]
    text = lay_out(main[:2] + note + main[2:]).pages[0]
    assert "a note in the margin here" in text.replace("\n", " ")
    assert " ".join(part.text for part in main) in text


def test_repeated_heads_stay_once_page_numbers_go_and_are_counted(lay_out, prose, seg):
    pages = [[seg(72, 40, "Annual Report 2024"), *prose(), seg(300, 760, f"Page {number}")] for number in range(1, 6)]
    text = lay_out(*pages)
    assert text.removed == {"header/footer lines": 12, "page numbers": 10}
    assert [page.count("Annual Report 2024") for page in text.pages] == [1, 0, 0, 0, 0]
    assert headings(text) == []
    assert "Page" not in "".join(text.pages)


def test_a_title_that_stands_once_stays(lay_out, prose, seg):
    text = lay_out([seg(72, 40, "Annual Report 2024"), *prose()], prose(), prose(), prose())
    assert "Annual Report 2024" in text.pages[0]
    assert not text.removed


def test_numbers_at_the_foot_that_do_not_count_stay(lay_out, prose, seg):
    text = lay_out(*[[*prose(), seg(300, 760, str(number))] for number in (17, 4, 90, 33)])
    assert "17" in text.pages[0]


def test_headings_by_size_and_weight(lay_out, prose, seg):
    page = [
        seg(72, 60, "The Title", 20),
        seg(72, 100, "A Chapter", 14),
        *prose(72, 120),
        seg(72, 190, "Bold one", 10, bold=True),
        *prose(72, 210),
        seg(72, 280, "Next Chapter", 14),
        *prose(72, 300),
    ]
    assert headings(lay_out(page)) == [(1, "The Title"), (2, "A Chapter"), (3, "Bold one"), (2, "Next Chapter")]


def test_a_sentence_in_bold_is_no_heading(lay_out, prose, seg):
    page = [*prose(), seg(72, 300, "This whole sentence is bold, and it ends as sentences do, with a stop.", bold=True)]
    assert headings(lay_out([*page, *prose(72, 330)])) == []


@pytest.mark.parametrize("remark", ["(in millions, except per share data)", "（单位：百万元）", "(Unaudited)"])
def test_a_remark_in_brackets_is_no_heading(lay_out, prose, seg, remark):
    page = [seg(72, 60, "A Statement", 14), seg(72, 84, remark, 10, bold=True), *prose(72, 110)]
    text = lay_out(page)
    assert headings(text) == [(1, "A Statement")]
    assert remark in text.pages[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [("1.1 Scope of it", "1.1.1 Details of it"), ("第一章 总则", "第一节 定义"), ("一、总体情况", "（一）主要指标")],
)
def test_headings_by_number_alone(lay_out, prose, seg, first, second):
    page = [seg(72, 60, first), *prose(72, 84), seg(72, 160, second), *prose(72, 184)]
    found = headings(lay_out(page))
    assert [title for _, title in found] == [first, second]
    assert found[0][0] < found[1][0]


def test_the_outline_settles_the_levels(lay_out, prose, seg):
    page = [seg(72, 60, "Intro", 14), *prose(72, 84), seg(72, 160, "plain words as title"), *prose(72, 184)]
    outline = [OutlineEntry("Intro", 2, 1), OutlineEntry("Plain Words as Title", 3, 1)]
    assert headings(lay_out(page)) == [(1, "Intro")]
    assert headings(lay_out(page, outline=outline)) == [(2, "Intro"), (3, "plain words as title")]


def test_lists_nest_by_indent(lay_out, prose, seg):
    page = [
        *prose(),
        seg(80, 300, "• one"),
        seg(100, 312, "1. inner"),
        seg(100, 324, "2. second"),
        seg(80, 336, "• two"),
    ]
    block = next(block for block in lay_out(page).blocks if block.kind == "list")
    assert block.text == "- one\n  1. inner\n  2. second\n- two"


def test_monospaced_lines_are_code_with_indent(lay_out, prose, seg):
    code = [
        seg(72, 300, "def f():", mono=True),
        seg(92, 312, "return 1", mono=True),
    ]
    block = next(block for block in lay_out([*prose(), *code]).blocks if block.kind == "code")
    assert block.text == "```\ndef f():\n    return 1\n```"


def test_hyphenation_is_mended_and_counted(lay_out, prose, seg):
    rows = prose(72, 100, 2)
    rows[0] = seg(72, 100, rows[0].text[:-9] + " informa-")
    rows[1] = seg(72, 112, "tion is joined")
    text = lay_out(rows)
    assert "information is joined" in text.pages[0]
    assert text.removed == {"joined hyphens": 1}


def test_a_compound_keeps_its_hyphen(lay_out, seg):
    page = [
        seg(72, 100, "The long-term view of all of this and the very much shorter view, which is not long-"),
        seg(72, 112, "term at all"),
    ]
    assert "not long-term at all" in lay_out(page).pages[0]


def test_chinese_lines_are_joined_without_a_space(lay_out, seg):
    line = "知识库把文件变成可以检索的内容并且在回答里注明每一句话的出处以便读者可以随时核对原文"
    text = lay_out([seg(72, 100, line), seg(72, 116, "和页码"), seg(72, 200, line), seg(72, 216, line)]).pages[0]
    assert line + "和页码" in text


def test_short_lines_keep_their_breaks(lay_out, seg):
    assert lay_out([seg(72, 100, "10 Long Road"), seg(72, 112, "Oldtown")]).pages == ["10 Long Road\nOldtown"]


def test_footnotes_come_last_and_are_referred_to(lay_out, prose, seg):
    body = prose(72, 100, 3)
    body[1].words[-1] = body[1].words[-1]._replace(text="word")
    body[1].words.append(Word("1", body[1].x1, body[1].x1 + 3, False, "", True))
    note = seg(72, 700, "1 The note itself", 8)
    note.words[0] = note.words[0]._replace(raised=True)
    column = prose(320, 90, 3)
    text = lay_out([*body, note, *[replace(part, baseline=part.baseline + 40) for part in column]])
    assert text.blocks[-1].kind == "footnote"
    assert text.pages[0].endswith("[^1]: The note itself")
    assert "word[^1]" in text.pages[0]


def test_small_text_under_a_short_line_is_a_footnote(lay_out, prose, seg):
    rule = [Ruling(72, 690, 200, 690)]
    page = [*prose(), seg(72, 702, "2 Said by somebody else", 8)]
    assert lay_out(page, rulings=rule).blocks[-1].kind == "footnote"
    assert lay_out(page).blocks[-1].kind != "footnote"


def test_right_to_left_lines(lay_out, seg):
    page = [seg(400, 100, "שלום"), seg(200, 100, "עולם"), seg(300, 130, "מילה")]
    assert "שלום עולם" in lay_out(page).pages[0]


def test_blocks_stand_in_the_text_and_know_their_places(lay_out, prose, seg):
    text = lay_out([seg(72, 60, "Ports", 20), *prose()], [seg(72, 60, "More", 20), *prose()])
    for block in text.blocks:
        assert block.text in text.pages[block.page - 1]
    assert text.blocks[0].bbox == (72, 44, 122, 64)
    assert [block.page for block in text.blocks] == [1, 1, 2, 2]
    assert text.title == "Ports"


def test_the_axis_of_a_chart_parts_no_footnotes(lay_out, prose, seg):
    axis = [Ruling(72, 690, 200, 690)]
    page = [*prose(), seg(72, 702, "0 10 20", 8)]
    chart = Figure((70.0, 600.0, 202.0, 692.0), "drawing")
    assert lay_out(page, rulings=axis).blocks[-1].kind == "footnote"
    assert lay_out(page, rulings=axis, figures=[chart]).blocks[-1].kind != "footnote"


@pytest.mark.parametrize("footer", ["重排序 · 第 {} 页", "Report, page {}", "page {} of 2"])
def test_a_footer_that_names_its_page_goes_from_two_pages(lay_out, prose, seg, footer):
    pages = [[*prose(), seg(250, 770, footer.format(number))] for number in (1, 2)]
    text = lay_out(*pages)
    assert "page" not in text.pages[1]
    assert "页" not in text.pages[1]


@pytest.mark.parametrize(
    "lines",
    [("Step 1", "Step 2"), ("See page 4", "See page 9"), ("Report, page 1", "Report, sheet 2")],
    ids=["no page", "does not count", "one of two"],
)
def test_other_lines_at_the_same_height_of_two_pages_stay(lay_out, prose, seg, lines):
    text = lay_out(*[[*prose(), seg(250, 770, line)] for line in lines])
    assert [line in page for line, page in zip(lines, text.pages, strict=True)] == [True, True]
