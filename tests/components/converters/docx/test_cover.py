"""The title of a Word file: what its first page shows largest."""

import pytest

pytestmark = pytest.mark.unit

STYLES = (
    "<w:styles SPACES><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val='21'/></w:rPr></w:rPrDefault></w:docDefaults>"
    "<w:style w:type='paragraph' w:default='1' w:styleId='n'><w:name w:val='Normal'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='t'><w:name w:val='Title'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='h'><w:name w:val='heading 1'/><w:rPr><w:sz w:val='32'/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='c'><w:name w:val='Cover'/><w:basedOn w:val='big'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='big'><w:name w:val='Big'/><w:rPr><w:sz w:val='48'/></w:rPr></w:style>"
    "</w:styles>"
)
PROSE = "The herons of the river wade in the shallows from dawn until the tide comes in. " * 4
CORE = (
    '<cp:p xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></cp:p>'
)


def p(text, size=None, style="n", look=""):
    look = f'<w:rPr>{look}<w:sz w:val="{size or 21}"/></w:rPr>' if size or look else ""
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r>{look}<w:t>{text}</w:t></w:r></w:p>'


@pytest.fixture
def title(read_word):
    def read(*paragraphs, **more):
        if named := more.pop("named", None):
            more["core"] = CORE.format(named)
        return read_word("".join(paragraphs), styles=STYLES, **more)["title"]

    return read


def test_the_largest_line_above_the_first_section_is_the_title(title):
    cover = [p("内部资料", 24), p("涉水观测系统产品需求规格说明书", 48), p("2019年07月12日", 36)]
    assert title(*cover, p("1. 简介", style="h"), p(PROSE)) == "涉水观测系统产品需求规格说明书"


def test_a_size_may_come_from_the_style_and_what_that_is_based_on(title):
    assert title(p("Herons of the river", style="c"), p(PROSE)) == "Herons of the river"


def test_the_lines_of_one_title_are_joined(title):
    lines = [p("Handbook for", 72), p("Chapter 13", 72), p("Standing Herons", 72), p("October 1, 2012", 40)]
    assert title(*lines, p(PROSE)) == "Handbook for Chapter 13 Standing Herons"
    assert title(p("苍鹭观测", 72), p("年度报告书", 72), p(PROSE)) == "苍鹭观测年度报告书"


def test_a_short_title_takes_the_lines_around_it(title):
    found = title(p("苍鹭二维码认证系统", 32), p("用户手册", 48), p("V1.0", 20), p(PROSE))
    assert found == "苍鹭二维码认证系统 · 用户手册"


def test_the_style_of_a_title_wins_over_larger_letters(title):
    assert title(p("INTERNAL HERON NETWORK", 60), p("How herons wade", style="t"), p(PROSE)) == "How herons wade"


@pytest.mark.parametrize("first", ["第二章 聘用规定", "1. 下载jdk安装包", "简介", "一、项目计划"])
def test_a_section_is_no_title(title, first):
    assert title(p(first, style="h"), p(PROSE), p("后面的大字标题", 60), p(PROSE)) is None


def test_properties_count_where_the_text_says_them_and_no_more_is_shown(title):
    assert title(p(PROSE), named="Herons of the river") == "Herons of the river"
    assert title(p(PROSE), named="三未信安密码卡") is None
    assert title(p("How the herons wade", 40), p(PROSE), named="Herons of the river") == "How the herons wade"
    assert title(p("Herons", 40), p(PROSE), named="Herons of the river") == "Herons of the river"


@pytest.mark.parametrize(
    "named", ["Normal.dot", "初始阶段递交工件：", "Write Your Title Here", "新建 Microsoft Word 文档"]
)
def test_what_a_template_left_is_no_title(title, named):
    assert title(p(named), p(PROSE), named=named) is None


def test_the_file_name_stands_where_it_says_the_title_and_more(title):
    assert title(p("用户手册", 48), p(PROSE), name="苍鹭系统用户手册.docx") is None
    assert title(p("用户手册", 48), p(PROSE), name="a.docx") == "用户手册"


def test_a_thesis_is_named_by_its_topic(title):
    found = title(p("本科毕业论文", 70), p("论文题目：苍鹭涉水行为的研究", 36), p("姓名：鹭", 30), p(PROSE))
    assert found == "本科毕业论文 · 苍鹭涉水行为的研究"


def test_lines_of_a_table_of_contents_and_of_tables_are_passed_over(title):
    table = f"<w:tbl><w:tr><w:tc>{p('Version history', 80)}</w:tc></w:tr></w:tbl>"
    assert title(table, p("How herons wade", 40), p(PROSE)) == "How herons wade"


def test_a_first_line_in_bold_is_the_title_where_nothing_is_larger(title):
    assert title(p("How herons wade", look="<w:b/>"), p(PROSE)) == "How herons wade"
    assert title(p("How herons wade", look='<w:b w:val="0"/>'), p(PROSE)) is None
    assert (
        title(p("苍鹭观测系统", 52, look="<w:b/>"), p("需求变更申请表", 52, look="<w:b/>"))
        == "苍鹭观测系统需求变更申请表"
    )


def test_the_kind_of_the_document_below_its_title_belongs_to_it(title):
    assert title(p("苍鹭观测专属系统", 52), p("需求规格说明书", 32), p(PROSE)) == "苍鹭观测专属系统 · 需求规格说明书"
    assert title(p("苍鹭观测专属系统手册", 52), p("需求规格说明书", 32), p(PROSE)) == "苍鹭观测专属系统手册"


def test_the_cover_of_a_thesis_gives_its_topic(title):
    topic = "苍鹭涉水行为的预测与实现"
    assert title(p("毕业设计(论文)", 72), p(topic, 44), p("2017年6月", 30), p(PROSE)) == f"毕业设计(论文) · {topic}"
    labels = [p("论文题目：苍鹭涉水行为的", 30), p("预测与实现", 30), p("学生姓名： 鹭", 30), p("院 系 水文学院", 30)]
    assert title(p("本科毕业论文", 44), *labels, p(PROSE)) == f"本科毕业论文 · {topic}"


def test_a_document_of_one_chapter_is_that_chapter(title):
    begin = [p("Chapter 18.33 WADING HERONS"), p("18.33.010 Purpose."), p(PROSE)]
    assert title(p("As of Dec 2019. Check with the city."), *begin) == "Chapter 18.33 WADING HERONS"
    assert title(*begin, p("Chapter 18.34 FLYING HERONS"), p(PROSE)) is None
    assert title(p("CHAPTER 1", 50), p("INTRODUCTION", 50), p(PROSE)) == "CHAPTER 1 INTRODUCTION"


def test_a_rule_of_dashes_does_not_part_a_title(title):
    cover = [p("Heron Group.", 60), p("_" * 40, 24), p("HeronApp.", 60), p("Architecture of the Software", 60)]
    assert title(*cover, p(PROSE)) == "Heron Group. HeronApp. Architecture of the Software"
