"""What Word and Outlook put into a page for themselves."""

import re

from bs4 import Comment, Tag

_NO_LISTS = re.compile(r"\[if !supportLists\]")
_IGNORED = re.compile(r"mso-list\s*:\s*Ignore", re.IGNORECASE)
_SYMBOLS = re.compile(r"Symbol|Wingdings|Webdings|Courier", re.IGNORECASE)


def mend_word(root: Tag) -> None:
    """Drop a page's data for Word alone, and write the signs of its lists as Markdown, in place.

    A list is made of paragraphs, each with its number, or a letter that a font of symbols shows as a bullet. The
    conditional comments around them have become comments when the page was parsed.

    :param root: the page.
    """
    for data in root.find_all("xml"):
        data.decompose()
    for comment in root.find_all(string=_NO_LISTS):
        sign = comment.find_next_sibling()
        if isinstance(comment, Comment) and sign is not None:
            _write_sign(sign)
    for sign in root.find_all(style=_IGNORED):
        _write_sign(sign)


def _write_sign(sign: Tag) -> None:
    text = " ".join(sign.get_text().split())
    fonts = " ".join(str(one.get("style") or "") for one in [sign, *sign.find_all(style=True)])
    bullet = len(text) == 1 and (not text.isalnum() or bool(_SYMBOLS.search(fonts)))
    sign.replace_with(f"{'*' if bullet else text} " if text else "")
