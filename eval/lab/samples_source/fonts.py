"""The fonts of the rendered samples, and which of them shows which character.

Latin text is set in the fonts that every PDF reader has; all other characters in WenQuanYi Micro Hei (Apache License
2.0), of which a PDF holds the glyphs that it uses.
"""

import html
import re
from pathlib import Path

from reportlab.lib import textsplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import paragraph as line_breaking

DEFAULT_FONT = Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc")
WIDE = "Chinese"
_BEYOND_LATIN = re.compile(r"[^\x20-\x7e\xa0-\xff\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\n]+")


def register_fonts(font: Path = DEFAULT_FONT) -> None:
    """Make the wide font known under the name `Chinese`, and teach line breaking the Chinese punctuation.

    :param font: WenQuanYi Micro Hei.
    """
    pdfmetrics.registerFont(TTFont(WIDE, str(font)))
    pdfmetrics.registerFontFamily(WIDE, *[WIDE] * 4)
    # reportlab's rules know Japanese punctuation only; these may not start a line in Chinese either.
    for module in (textsplit, line_breaking):
        if "，" not in module.ALL_CANNOT_START:
            module.ALL_CANNOT_START += "，；：？！》”%"


def font_for(text: str, latin: str = "Helvetica") -> str:
    """Return the font that can show all of a text: the Latin one, else the wide one."""
    return WIDE if _BEYOND_LATIN.search(check_glyphs(text)) else latin


def markup(text: str) -> str:
    """Escape a text for a paragraph, with the wide font around what the Latin fonts do not have."""
    pieces = []
    last = 0
    for found in _BEYOND_LATIN.finditer(check_glyphs(text)):
        pieces.append(html.escape(text[last : found.start()]))
        pieces.append(f'<font name="{WIDE}">{html.escape(found[0])}</font>')
        last = found.end()
    return "".join([*pieces, html.escape(text[last:])])


def check_glyphs(text: str) -> str:
    """Return the text.

    :raises ValueError: when the wide font would have to show a character that it does not have.
    """
    glyphs = pdfmetrics.getFont(WIDE).face.charToGlyph
    missing = {c for run in _BEYOND_LATIN.findall(text) for c in run if ord(c) not in glyphs and c != "\t"}
    if missing:
        raise ValueError(f"no font has {sorted(missing)} of {text[:60]!r}")
    return text
