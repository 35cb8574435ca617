"""Styles of a flat OpenDocument text."""

from xml.sax.saxutils import escape

from khub.eval.lab.documents.model import Document

FONTS = {True: "Liberation Serif", False: "Liberation Sans"}
HAN_FONTS = {True: "Noto Serif CJK SC", False: "Noto Sans CJK SC"}
THICK, THIN = "1.2pt solid #000000", "0.6pt solid #444444"
LINES = {
    "Grid": {"border": THIN},
    "Rows": {"border-bottom": "0.5pt solid #999999"},
    "Plain": {},
    "Top": {"border-top": THICK},
    "Middle": {"border-bottom": THIN},
    "Only": {"border-top": THICK, "border-bottom": THIN},
    "Bottom": {"border-bottom": THICK},
}
HEADINGS = {1: 2.0, 2: 1.5, 3: 1.22, 4: 1.0}


def styles(document: Document) -> str:
    """Return the styles, page layout, header and footer of a document."""
    style = document.style
    font, han = FONTS[style.serif], HAN_FONTS[style.serif]
    text = (
        f'fo:font-size="{style.size}pt" style:font-size-asian="{style.size}pt" fo:font-family="{font}" '
        f'style:font-family-asian="{han}" fo:language="en" fo:country="US" style:language-asian="zh" '
        f'style:country-asian="CN"'
    )
    return (
        f'<office:styles><style:default-style style:family="paragraph"><style:paragraph-properties '
        f'fo:line-height="135%"/><style:text-properties {text}/></style:default-style>{_paragraphs(document)}'
        '<style:style style:name="Strong" style:family="text"><style:text-properties fo:font-weight="bold" '
        'style:font-weight-asian="bold"/></style:style>'
        f"{_lists()}{_notes()}</office:styles>\n<office:automatic-styles>{_tables()}{_page(document)}"
        "</office:automatic-styles>\n<office:master-styles>"
        f'<style:master-page style:name="Standard" style:page-layout-name="Page">{_running(document)}'
        "</style:master-page></office:master-styles>"
    )


def _paragraphs(document: Document) -> str:
    style = document.style
    align = "justify" if style.justified else "start"
    space = f'fo:text-indent="{2 * style.size}pt" fo:margin-bottom="0pt"'
    body = space if style.indented else f'fo:margin-bottom="{0.7 * style.size:.1f}pt"'
    small = 0.9 * style.size
    made = [
        _paragraph("Body", f'fo:text-align="{align}" {body} fo:orphans="2" fo:widows="2"'),
        _paragraph("Item", f'fo:text-align="{align}" fo:margin-bottom="2pt"'),
        _paragraph("Quote", f'fo:text-align="{align}" fo:margin-left="24pt" '
                   'fo:margin-right="24pt" fo:margin-top="6pt" fo:margin-bottom="8pt"', "", 'fo:font-style="italic"'),
        _paragraph("Code", 'fo:text-align="start" fo:margin-top="4pt" fo:margin-bottom="8pt" fo:padding="5pt" '
                   'fo:background-color="#f2f2f2" fo:line-height="120%"', 0.85 * style.size,
                   'fo:font-family="Liberation Mono"'),
        _paragraph("Caption", 'fo:text-align="start" fo:margin-top="8pt" fo:margin-bottom="3pt" '
                   'fo:keep-with-next="always"', 0.92 * style.size),
        _paragraph("After", 'fo:margin-bottom="0pt" fo:line-height="100%"', 6.0),
        _paragraph("Foot", 'fo:margin-left="12pt" fo:text-indent="-12pt" fo:line-height="115%"', 0.82 * style.size),
        _paragraph("Running", 'fo:text-align="center"', 8.0),
    ]  # fmt: skip
    for side, value in (("Left", "start"), ("Right", "end"), ("Center", "center")):
        made.append(_paragraph(f"Cell{side}", f'fo:text-align="{value}" fo:line-height="118%"', small))
        bold = 'fo:font-weight="bold" style:font-weight-asian="bold"'
        made.append(_paragraph(f"Head{side}", f'fo:text-align="{value}" fo:line-height="118%"', small, bold))
    for level, factor in HEADINGS.items():
        made.append(
            _paragraph(
                f"H{level}",
                'fo:margin-top="12pt" fo:margin-bottom="5pt" fo:keep-with-next="always" fo:text-align="start"',
                factor * style.size,
                'fo:font-weight="bold" style:font-weight-asian="bold"',
            )
        )
    return "".join(made)


def _paragraph(name: str, layout: str, size: float | str = "", text: str = "") -> str:
    sizes = f'fo:font-size="{size:.1f}pt" style:font-size-asian="{size:.1f}pt" ' if isinstance(size, float) else ""
    return (
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties {layout}/>'
        f"<style:text-properties {sizes}{text}/></style:style>"
    )


def _lists() -> str:
    bullets = "".join(_level("bullet", level, f'text:bullet-char="{"•◦▪"[level - 1]}"') for level in (1, 2, 3))
    numbers = "".join(
        _level("number", level, 'style:num-suffix="." style:num-format="1" text:display-levels="1"')
        for level in (1, 2, 3)
    )
    return (
        f'<text:list-style style:name="Bullets">{bullets}</text:list-style>'
        f'<text:list-style style:name="Numbers">{numbers}</text:list-style>'
    )


def _level(kind: str, level: int, marks: str) -> str:
    return (
        f'<text:list-level-style-{kind} text:level="{level}" {marks}><style:list-level-properties '
        'text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment '
        f'text:label-followed-by="listtab" fo:text-indent="-14pt" fo:margin-left="{18 * level}pt"/>'
        f"</style:list-level-properties></text:list-level-style-{kind}>"
    )


def _notes() -> str:
    return (
        '<text:notes-configuration text:note-class="footnote" style:num-format="1" text:start-value="0" '
        'text:footnotes-position="page" text:start-numbering-at="document"/>'
    )


def _tables() -> str:
    cells = "".join(
        f'<style:style style:name="{name}" style:family="table-cell">'
        "<style:table-cell-properties "
        f'fo:padding-left="5pt" fo:padding-right="5pt" fo:padding-top="2.5pt" fo:padding-bottom="2.5pt" '
        f"{' '.join(f'fo:{side}={chr(34)}{line}{chr(34)}' for side, line in lines.items())}/></style:style>"
        for name, lines in LINES.items()
    )
    widths = "".join(
        f'<style:style style:name="W{share}" style:family="table-column"><style:table-column-properties '
        f'style:rel-column-width="{share}*"/></style:style>'
        for share in range(5, 101)
    )
    return (
        '<style:style style:name="Table" style:family="table"><style:table-properties style:rel-width="100%" '
        'table:border-model="collapsing" fo:margin-bottom="4pt"/></style:style>'
        '<style:style style:name="Row" style:family="table-row"><style:table-row-properties '
        f'fo:keep-together="always"/></style:style>{widths}{cells}'
        '<style:style style:name="Columns" style:family="section"><style:section-properties>'
        '<style:columns fo:column-count="2" fo:column-gap="8mm">'
        '<style:column style:rel-width="1*" fo:end-indent="4mm"/>'
        '<style:column style:rel-width="1*" fo:start-indent="4mm"/></style:columns>'
        "</style:section-properties></style:style>"
    )


def _page(document: Document) -> str:
    style = document.style
    head = _band("header", 'fo:min-height="10mm" fo:margin-bottom="5mm"')
    foot = _band("footer", 'fo:min-height="9mm" fo:margin-top="4mm"')
    return (
        '<style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="210mm" '
        'fo:page-height="297mm" fo:margin-top="14mm" fo:margin-bottom="12mm" fo:margin-left="20mm" '
        f'fo:margin-right="20mm"/>{head if style.header else ""}{foot if style.footer else ""}</style:page-layout>'
    )


def _band(name: str, layout: str) -> str:
    return f"<style:{name}-style><style:header-footer-properties {layout}/></style:{name}-style>"


def _running(document: Document) -> str:
    style = document.style
    footer = escape(style.footer).replace("{page}", "<text:page-number/>")
    made = ""
    if style.header:
        made += f'<style:header><text:p text:style-name="Running">{escape(style.header)}</text:p></style:header>'
    if style.footer:
        made += f'<style:footer><text:p text:style-name="Running">{footer}</text:p></style:footer>'
    return made
