"""Which pages of a book only list its chapters."""

from collections.abc import Callable

from bs4 import Tag

_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_MOSTLY = 0.7
_FEWEST = 3


def lists_chapters(page: Tag, leads: Callable[[str], bool], is_navigation: bool) -> bool:
    """Say whether a page holds hardly anything but links to the other pages of its book.

    :param page: without its `nav` elements.
    :param leads: says whether an address leads to another chapter.
    :param is_navigation: whether the book says so: then one link is enough, or none where `nav` held them.
    """
    links = [link for link in page.find_all("a", href=True) if leads(str(link["href"]))]
    if page.find("img") or len(links) < (0 if is_navigation else _FEWEST):
        return False
    headings = [heading for heading in page.find_all(_HEADINGS) if not heading.find("a", href=True)]
    whole = _length(page) - sum(map(_length, headings))
    return sum(map(_length, links)) >= _MOSTLY * whole


def _length(element: Tag) -> int:
    return len("".join(element.get_text().split()))
