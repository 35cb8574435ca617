"""Which lines of a PDF are headings: those that a reader takes for such."""

import pytest

from khub.components.converters.pdf.drafts import draft_of
from khub.components.converters.pdf.headings import set_headings
from khub.components.converters.pdf.layout import Figure
from khub.components.converters.pdf.lines import Line
from khub.components.converters.pdf.outline import OutlineEntry
from khub.components.converters.pdf.paragraphs import TextHabits

pytestmark = pytest.mark.unit

COLUMNS = ((72, "Signature"), (272, "Title"), (472, "Date"))
SENTENCE = "We may not find the people whom we need, which could slow the growth of what we do."


@pytest.fixture
def found(lay_out):
    """The texts of the headings of pages."""

    def run(*pages, **more):
        return [block.text.lstrip("# ") for block in lay_out(*pages, **more).blocks if block.kind == "heading"]

    return run


def test_a_short_italic_line_above_upright_text_is_a_heading(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "Acrobat and Cloud", italic=True), *prose(72, 190)]
    assert found(page) == ["Acrobat and Cloud"]


def test_an_italic_term_with_its_explanation_further_right_is_none(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "Cancel", italic=True), *prose(110, 190, width=400)]
    assert found(page) == []


def test_an_italic_line_that_goes_on_is_none(found, seg, prose):
    slanted = [seg(72, 170, "All of this was said by somebody else", italic=True)]
    slanted += [seg(90, 182 + 12 * row, "and so it is set in italics to the end", italic=True) for row in range(3)]
    assert found([*prose(72, 100), *slanted, *prose(72, 260)]) == []


def test_a_line_in_capitals_above_running_text_is_a_heading(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "POS – PERIOD OF SERVICE"), *prose(72, 190)]
    assert found(page) == ["POS – PERIOD OF SERVICE"]


def test_names_in_capitals_under_each_other_are_none(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "EDWARD W. BARN"), seg(72, 200, "JANE DOE MILLS"), seg(72, 230, "Director")]
    assert found(page) == []


@pytest.mark.parametrize("title", ["(a) Applicability", "B. General overview", "ii) Meetings of the committee"])
def test_a_bold_lettered_line_is_a_heading(found, seg, prose, title):
    page = [*prose(72, 100), seg(72, 170, title, bold=True), *prose(72, 190)]
    assert found(page) == [title]


def test_bold_sentences_are_headings_where_they_recur(found, seg, prose):
    risks = [[*prose(72, 110), seg(72, 170, SENTENCE, bold=True), *prose(72, 190)] for _ in range(3)]
    assert found(*risks) == [SENTENCE] * 3
    assert found(risks[0]) == []


@pytest.mark.parametrize("leader", [" . . . . . . . . ", " "])
def test_an_entry_of_the_contents_is_none(found, seg, leader):
    entries = [("2 Basics", 7), ("3 Mathematics", 23), ("4 Figures", 33), ("5 Tables", 65), ("6 Other", 80)]
    page = [seg(72, 60, "Contents", 16)]
    for row, (title, number) in enumerate(entries):
        page.append(seg(72, 100 + 24 * row, f"{title}{leader if row % 2 else ' '}{number}", bold=row % 2 == 0))
    page += [seg(90, 230 + 12 * row, f"{row}.1 Inner part{leader}{81 + row}") for row in range(4)]
    assert found(page) == ["Contents"]


def test_a_label_in_a_figure_is_none(found, seg, prose):
    label = seg(200, 420, "Start state", bold=True)
    page = [*prose(72, 100), label, *prose(72, 700)]
    assert found(page) == ["Start state"]
    assert found(page, figures=[Figure((100.0, 350.0, 400.0, 500.0), "raster")]) == []


def test_bold_words_side_by_side_are_heads_of_columns(seg):
    row = [draft_of("paragraph", 1, [Line([seg(x, 60, text, bold=True)])]) for x, text in COLUMNS]
    below = draft_of("paragraph", 1, [Line([seg(72, 90, "January 19")])])
    habits = TextHabits(10.0, 11.2, 1.2, False, False)
    set_headings([*row, below], habits, [])
    assert [draft.kind for draft in row] == ["paragraph"] * 3
    set_headings([row[0], below], habits, [])
    assert row[0].kind == "heading"


def test_a_running_head_is_none(found, seg, prose):
    first = [seg(72, 120, "2.7 Lengths and units", 14, bold=True), *prose(72, 150)]
    second = [seg(72, 40, "§2.7 Lengths and units", bold=True), *prose(72, 100)]
    assert found(first, second, prose(), prose(), prose()) == ["2.7 Lengths and units"]


def test_what_leads_in_to_its_text_is_none(found, seg, prose):
    page = []
    for row, label in enumerate(["Note:", "Recovery phase:", "Recovery phase:", "What comes after it:"]):
        page += [seg(72, 100 + 90 * row, label, bold=True), *prose(72, 120 + 90 * row)]
    assert found(page) == ["What comes after it:"]


@pytest.mark.parametrize("formula", ["E = mc + k", "Xn ≤ Y if y", "R ∈ S of T"])
def test_a_formula_is_none(found, seg, prose, formula):
    assert found([*prose(72, 100), seg(200, 180, formula, 14), *prose(72, 220)]) == []


def test_a_short_title_behind_a_long_number_is_a_heading(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "14.3.12. 对象", bold=True), *prose(72, 190)]
    assert found(page) == ["14.3.12. 对象"]


def test_a_numbered_line_with_the_begin_of_its_text_is_none(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "（一）公开情况。本年度，本市网站公开各类"), *prose(72, 230)]
    assert found(page) == []


def test_a_numbered_title_right_under_a_full_line_begins_a_block(found, seg, prose):
    text = prose(72, 100)
    text.append(seg(72, 148, f"{text[-1].text[:-6]}ended."))
    page = [*text, seg(72, 160, "4.2.2 Roles"), *prose(72, 190)]
    assert found(page) == ["4.2.2 Roles"]


def test_text_across_the_page_is_none(found, seg, prose):
    page = [seg(14, 400, "arXiv paper", 20, angle=90), *prose(72, 100)]
    assert found(page) == []


def test_a_large_title_in_typewriter_letters_is_a_heading(found, seg, prose):
    page = [seg(72, 60, "Membership form", 20, mono=True), *prose(72, 100)]
    assert found(page) == ["Membership form"]


def test_a_little_larger_says_nothing_where_sizes_vary(found, seg, prose):
    title = seg(72, 60, "Results of it", 11.5)
    steady = [title, *prose(72, 100, lines=12)]
    varying = [title]
    for row, line in enumerate(prose(72, 100, lines=12)):
        varying.append(seg(72, line.baseline, line.text, 10 if row % 3 else 11.5))
    assert found(steady) == ["Results of it"]
    assert "Results of it" not in found(varying)


def test_an_entry_of_the_outline_names_one_line(found, seg, prose):
    page = [seg(300, 90, "Timer"), *prose(72, 100), seg(72, 170, "Timer", 12, bold=True), *prose(72, 190)]
    assert found(page, outline=[OutlineEntry("Timer", 2, 1)]) == ["Timer"]


def test_the_outline_names_a_title_without_its_number(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "9.1.12 2015"), *prose(72, 190)]
    assert found(page) == []
    assert found(page, outline=[OutlineEntry("2015", 3, 1)]) == ["9.1.12 2015"]


@pytest.mark.parametrize("caption", ["续表 4-10 明细", "算法 13.1 枚举排序", "Illustration 4: Setup"])
def test_a_caption_is_none(found, seg, prose, caption):
    assert found([*prose(72, 100), seg(72, 170, caption, bold=True), *prose(72, 190)]) == []


def test_a_note_under_a_table_is_none(found, seg, prose):
    page = [*prose(72, 100), seg(72, 170, "* Denotes a variance of 100 percent or more", 13), *prose(72, 190)]
    assert found(page) == []
