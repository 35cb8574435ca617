import pytest

pytestmark = pytest.mark.unit

STYLES = (
    "<w:styles SPACES>"
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="U"><w:name w:val="Überschrift 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="O"><w:name w:val="My chapter"/><w:basedOn w:val="O2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="O2"><w:name w:val="Base"/>'
    '<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="标题"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="K"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style></w:styles>'
)


def level(number, kind, text, depth=0):
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{number}"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


NUMBERING = (
    "<w:numbering SPACES>"
    f'<w:abstractNum w:abstractNumId="0">{level(1, "decimal", "%1.")}'
    f"{level(1, 'lowerLetter', '(%2)', 1)}</w:abstractNum>"
    f'<w:abstractNum w:abstractNumId="1">{level(1, "bullet", "•")}{level(1, "bullet", "o", 1)}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="2">{level(3, "chineseCounting", "第%1章")}'
    f"{level(1, 'decimal', '%1.%2', 1).replace('</w:lvl>', '<w:isLgl/></w:lvl>')}</w:abstractNum>"
    + "".join(f'<w:num w:numId="{n + 1}"><w:abstractNumId w:val="{n}"/></w:num>' for n in range(3))
    + "</w:numbering>"
)


def p(text, style="", numbered=None, depth=0, extra=""):
    number = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{numbered}"/></w:numPr>' if numbered else ""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{number}{extra}</w:pPr>{r(text) if not text.startswith('<') else text}</w:p>"


def r(text, look=""):
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows):
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(text, span=1, merge=""):
    merged = f'<w:vMerge w:val="{merge}"/>' if merge == "restart" else "<w:vMerge/>" if merge else ""
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{merged}</w:tcPr>{p(text)}</w:tc>'


def test_headings_by_style_language_and_outline_level(read_word):
    body = p("Report", "T") + p("One", "1") + p("Two", "U") + p("Three", "O")
    body += p("Direct", extra='<w:outlineLvl w:val="3"/>') + p("No heading", "1", extra='<w:outlineLvl w:val="9"/>')
    converted = read_word(body, styles=STYLES)
    assert converted["text"] == "# Report\n\n# One\n\n## Two\n\n### Three\n\n#### Direct\n\nNo heading"
    assert converted["title"] == "Report"


def test_title_and_metadata_of_the_properties(read_word):
    core = (
        '<cp:p xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"><dc:title>Named</dc:title>'
        "<dc:creator>李雷</dc:creator><t:created>2024-05-06T07:08:09Z</t:created></cp:p>"
    )
    converted = read_word(p("Named after the file's properties."), core=core)
    assert converted["title"] == "Named"
    assert converted["metadata"] == {"author": "李雷", "created": "2024-05-06T07:08:09Z"}


def test_lists_numbers_and_numbered_headings(read_word):
    body = p("Chapter", "1", 3) + p("Part", "U", 3, 1) + p("a", numbered=1) + p("b", numbered=1, depth=1)
    body += p("c", numbered=1) + p("between") + p("d", numbered=1) + p("x", numbered=2) + p("y", numbered=2, depth=1)
    text = read_word(body, styles=STYLES, numbering=NUMBERING)["text"]
    assert text == ("# 第三章 Chapter\n\n## 3.1 Part\n\n1. a\n   * (a) b\n2. c\n\nbetween\n\n3. d\n* x\n  * y")


def test_a_deeper_list_begins_anew_under_each_item(read_word):
    body = p("a", numbered=1) + p("b", numbered=1, depth=1) + p("c", numbered=1) + p("d", numbered=1, depth=1)
    assert read_word(body, numbering=NUMBERING)["text"] == "1. a\n   * (a) b\n2. c\n   * (a) d"


def test_looks_links_and_what_is_not_shown(read_word):
    body = p(
        r("bold ", "<w:b/>")
        + r("more", "<w:b/>")
        + r(" plain ")
        + r("old", "<w:strike/>")
        + f'<w:hyperlink r:id="link0">{r("site")}</w:hyperlink>'
        + "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        + f"<w:moveFrom>{r('moved')}</w:moveFrom><w:ins>{r(' inserted')}</w:ins>"
        + r("hidden", "<w:vanish/>")
        + "<w:r><w:noBreakHyphen/><w:br/><w:t>next</w:t></w:r>"
    )
    body += p("# no heading")
    text = read_word(body, links=("https://example.org/a",))["text"]
    assert text == "**bold more** plain ~~old~~[site](https://example.org/a) inserted-\nnext\n\n\\# no heading"


RAISED = '<w:vertAlign w:val="superscript"/>'


def test_raised_and_lowered_digits(read_word):
    styles = STYLES.replace(
        "</w:styles>",
        f'<w:style w:type="character" w:styleId="Up"><w:name w:val="up"/><w:rPr>{RAISED}</w:rPr></w:style></w:styles>',
    )
    body = r("10") + r("-", RAISED) + r("6", RAISED) + r(" m") + r("2", '<w:rStyle w:val="Up"/>')
    body += r(", CO") + r("2", '<w:vertAlign w:val="subscript"/>') + r(", 25 units") + r("1", RAISED)
    assert read_word(p(body), styles=styles)["text"] == "10^-6 m², CO2, 25 units¹"
    head = table(f"<w:tc>{p(r('flow'))}</w:tc><w:tc>{p(r('4.2×10') + r('5', '<w:b/>' + RAISED))}</w:tc>")
    assert "4.2×10" in read_word(head)["text"]
    assert "105" not in read_word(head)["text"]


def test_field_with_a_link_over_several_runs(read_word):
    field = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    body = field.format("begin") + '<w:r><w:instrText>HYPERLINK "https://a.b/c"</w:instrText></w:r>'
    body += field.format("separate") + r("here") + field.format("end") + r(" after")
    assert read_word(p(body))["text"] == "[here](https://a.b/c) after"


def test_table_with_merged_cells_and_a_header_of_two_rows(read_word):
    body = table(
        cell("Name", merge="restart") + cell("Sales", 2),
        cell("", merge="continue") + cell("2023") + cell("2024"),
        cell("A", merge="restart") + cell("1") + cell("2"),
        cell("", merge="continue") + cell("a|b", 2),
    )
    assert read_word(body)["text"] == (
        "| Name | Sales 2023 | Sales 2024 |\n| --- | --- | --- |\n| A | 1 | 2 |\n| A | a\\|b |  |"
    )


def test_nested_table_list_in_a_cell_and_a_frame(read_word):
    inner = table(cell("x") + cell("y"), cell("1") + cell("2"))
    in_cell = f"<w:tc>{p('see')}{inner}{p('item', numbered=2)}</w:tc>"
    text = read_word(table(cell("A") + cell("B"), in_cell + cell("b")), numbering=NUMBERING)["text"]
    assert text == "| A | B |\n| --- | --- |\n| see x, y; 1, 2 • item | b |"
    assert read_word(table(f"<w:tc>{p('Alone')}{p('Framed')}</w:tc>"))["text"] == "Alone\n\nFramed"


def test_caption_row_of_a_table(read_word):
    text = read_word(table(cell("Prices", 2), cell("a") + cell("b"), cell("1") + cell("2")))["text"]
    assert text == "**Prices**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_footnote_follows_its_paragraph(read_word):
    notes = (
        f'<w:footnotes SPACES><w:footnote w:id="0" w:type="separator">{p("---")}</w:footnote>'
        f'<w:footnote w:id="7">{p("The note.")}</w:footnote></w:footnotes>'
    )
    body = p(r("Claim") + '<w:r><w:footnoteReference w:id="7"/></w:r>') + p("Next")
    assert read_word(body, footnotes=notes)["text"] == "Claim[^1]\n\n[^1]: The note.\n\nNext"


def test_comments_follow_their_paragraph_and_stay_in_their_cell(read_word):
    comments = (
        f'<w:comments SPACES><w:comment w:id="4" w:author="KM">{p("Is this so?")}</w:comment>'
        f'<w:comment w:id="5" w:author="李雷">{p("请核对")}</w:comment></w:comments>'
    )

    def commented(text, number):
        return (
            f'{r("The ")}<w:commentRangeStart w:id="{number}"/>{r(text)}<w:commentRangeEnd w:id="{number}"/>'
            f'<w:r><w:commentReference w:id="{number}"/></w:r>'
        )

    in_cell = f"<w:tc>{p(commented('price', 5))}</w:tc>"
    converted = read_word(
        p(commented("claim", 4)) + p("Next") + table(cell("a") + cell("b"), in_cell + cell("c")), comments=comments
    )
    first, remark, following, in_table = converted["text"].split("\n\n")
    assert (first, following) == ("The claim", "Next")
    assert all(word in remark for word in ("KM", "claim", "Is this so?"))
    in_cell, other = in_table.splitlines()[-1].strip("| ").split(" | ")
    assert (in_cell.startswith("The price ("), other) == (True, "c")
    assert all(word in in_cell for word in ("李雷", "请核对"))


def drawing(inner, alt=""):
    return f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" descr="{alt}"/>{inner}</wp:inline></w:drawing></w:r>'


def test_pictures_have_marks_alt_and_caption(read_word, make_png):
    shown = drawing('<a:blip r:embed="pic0"/>', "A red flag. Description automatically generated")
    body = p(r("Before") + shown) + p("Figure 1: The flag", "Cap") + p(drawing('<a:blip r:embed="pic1"/>'))
    converted = read_word(body, styles=STYLES, pictures=(make_png(), make_png(8, 8)))
    assert converted["text"] == "Before\n\n[IMAGE: 1@0]\n\nA red flag\n\nFigure 1: The flag"
    (picture,) = converted["pictures"]
    assert (picture["page"], picture["seq"], picture["width"], picture["height"]) == (None, 1, 80, 60)
    assert (picture["mime"], picture["alt"], picture["caption"]) == ("image/png", "A red flag", "Figure 1: The flag")


def test_picture_that_is_only_linked_is_no_failure(read_word):
    assert read_word(p(r("text") + drawing('<a:blip r:link="link0"/>')), links=("https://x.y/z.png",))["text"] == "text"


def test_text_box_is_read_once(read_word):
    box = f"<w:txbxContent>{p('In the box')}</w:txbxContent>"
    both = (
        f"<mc:AlternateContent><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict>"
    )
    assert read_word(p(r("Outside") + f"<w:r>{both}</mc:Fallback></mc:AlternateContent></w:r>"))["text"] == (
        "Outside\n\nIn the box"
    )


def test_chart_as_table(read_word):
    points = "<c:pt idx='0'><c:v>{}</c:v></c:pt><c:pt idx='1'><c:v>{}</c:v></c:pt>"
    chart = (
        "<c:chartSpace SPACES><c:chart><c:title><a:p><a:r><a:t>Growth</a:t></a:r></a:p></c:title>"
        "<c:plotArea><c:barChart>"
        f"<c:ser><c:tx><c:v>Sales</c:v></c:tx><c:cat>{points.format('Q1', 'Q2')}</c:cat>"
        f"<c:val>{points.format('1.50', '2')}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    text = read_word(p(drawing('<c:chart r:id="chart"/>')), chart=chart)["text"]
    assert text == "**Growth**\n\n|   | Sales |\n| --- | --- |\n| Q1 | 1.5 |\n| Q2 | 2 |"


def test_contents_are_left_out_and_counted(read_word):
    converted = read_word(p("Intro 1", "C") + p("Body text", "C") + p("Text"), styles=STYLES)
    assert converted["text"] == "Text"
    assert converted["removed"] == {"table of contents": 4}


def test_code_lines_stay_together(read_word):
    assert (
        read_word(p("def f():", "K") + p("  return 1", "K"), styles=STYLES)["text"] == "```\ndef f():\n  return 1\n```"
    )


def test_bold_lines_are_headings_where_there_are_no_others(read_word):
    body = p(r("Terms", "<w:b/>")) + p("Some text.") + p(r("Really.", "<w:b/>")) + p("End")
    assert read_word(body)["text"] == "# Terms\n\nSome text.\n\n**Really.**\n\nEnd"
    assert "**Terms**" in read_word(p("One", "1") + body, styles=STYLES)["text"]


def test_checkboxes_and_formulas(read_word):
    box = (
        '<w:sdt><w:sdtPr><x:checkbox xmlns:x="http://schemas.microsoft.com/office/word/2010/wordml">'
        '<x:checked x:val="1"/>'
        f"</x:checkbox></w:sdtPr><w:sdtContent>{r('☒')}</w:sdtContent></w:sdt>"
    )
    formula = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    assert read_word(p(box + r(" done ") + formula))["text"] == "[x] done $x^{2}$"
