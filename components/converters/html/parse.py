"""HTML as a tree of elements."""

import re

from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser

from khub.components.converters.html.word import mend_word

_XHTML = re.compile(r"\s*<\?xml\b|(?s:.{0,2000}?)<html\b[^>]{0,1000}?http://www\.w3\.org/1999/xhtml", re.IGNORECASE)
_CLOSED_AT_ONCE = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([A-Za-z][\w:.-]*+)((?:\"[^\"]*+\"|'[^']*+'|[^\"'<>/]|/(?!>))*+)/>",
    re.IGNORECASE,
)
_OF_WORD = ("urn:schemas-microsoft-com:office", "mso-", "supportLists")


def parse_html(text: str) -> BeautifulSoup:
    """Parse a page or a part of one by the rules of HTML5, as browsers do: most end tags may be left out.

    Lexbor knows the rules, and writes the page with all its tags: so Python's parser, which knows none of them, makes
    the right tree. In XHTML, `<a/>` is an empty element.
    """
    if _XHTML.match(text):
        text = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", text)
    soup = BeautifulSoup(LexborHTMLParser(text).html or "", "html.parser")
    if any(sign in text for sign in _OF_WORD):
        mend_word(soup)
    return soup
