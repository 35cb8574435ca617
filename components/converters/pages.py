"""Clean text, and pages joined into one text that remembers where each begins."""

import re
import unicodedata

_SOFT_BREAK = re.compile("[\u00ad\ufffe\x02]\n?")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")
_PRESENTATION_FORMS = re.compile("[\u2e80-\u2fd5\ufb00-\ufb06]")
_TRAILING_SPACE = re.compile(r"(?<![ \t\u3000\xa0])[ \t\u3000\xa0]++$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def clean_text(text: str) -> str:
    """Normalise converted text, of a page or of a whole document.

    Line ends become line feeds; a word broken by a soft hyphen is joined; control characters go. Unicode form NFC,
    with ligatures and CJK radicals spelled out, since they come from a font's shapes and would hide words from search.

    :param text: text as a parser gives it.
    :returns: the text without outer white space and without runs of blank lines.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\v", " ")
    text = _UNPRINTABLE.sub("", _SOFT_BREAK.sub("", text))
    text = _PRESENTATION_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    text = _TRAILING_SPACE.sub("", unicodedata.normalize("NFC", text))
    return _BLANK_LINES.sub("\n\n", text).strip()


def join_pages(pages: list[str]) -> tuple[str, list[int]]:
    """Join pages with blank lines.

    :param pages: text of each page, in order; empty for a page without text.
    :returns: the text, and for each page the character offset at which it begins. An empty page begins where the next
        page with text does (at the end of the text when there is none).
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for page in pages:
        starts.append(length)
        if page:
            parts.append(page)
            length += len(page) + 2
    text = "\n\n".join(parts)
    return text, [min(start, len(text)) for start in starts]
