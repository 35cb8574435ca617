"""The content of an HTML page without what is there for moving around the site."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bs4 import BeautifulSoup, Tag

from khub.components.converters.html.metadata import read_metadata, read_title
from khub.components.converters.html.parse import parse_html

AROUND = "menus, banners and the like"
"""What `removed` calls the words around the content."""
_NOT_CONTENT = {
    "script", "style", "noscript", "template", "title", "nav", "button", "select", "dialog", "iframe", "object",
    "embed", "svg",
}  # fmt: skip
_ROLES = {"navigation", "search", "contentinfo", "dialog", "alertdialog", "menu", "menubar"}
_NOTES = {"note", "doc-footnote", "doc-endnotes", "doc-tip", "doc-notice"}
"""Roles of what stands beside a text and belongs to it."""
_NOT_CONTENT_CLASSES = {
    "headerlink", "header-anchor", "skip-link", "mw-editsection", "sr-only", "visually-hidden", "linenos", "gutter",
    "katex-html", "noprint",
}  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_CHROME_WORDS = {
    "cookie", "cookies", "consent", "gdpr", "sidebar", "breadcrumb", "breadcrumbs", "share", "sharing", "social",
    "newsletter", "subscribe", "subscription", "related", "recommended", "recommendations", "advert", "advertisement",
    "advertising", "ad", "ads", "adsbox", "promo", "promotion", "sponsor", "sponsored", "popup", "modal", "overlay",
    "pagination", "pager", "navbar", "navbox", "nav", "navigation", "menu", "dropdown", "footer", "catlinks",
    "toolbar", "masthead", "topbar", "toc", "skip", "paywall", "login", "signup", "disqus", "taboola",
    "outbrain", "siteheader", "sitefooter",
}  # fmt: skip
_BLOCKS = ["div", "section", "aside", "ul", "ol", "table", "form", "header", "footer", "p"]
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SENTENCE = re.compile(r"[.!?。！？；]\s*$")
_MAIN_SHARE = 0.3
_CHROME_SHARE = 0.3
_LINKS_SHARE = 0.5
_MIN_LINKS = 8
_LINK_DENSITY = 0.85
_MAX_LINK_LENGTH = 40
_LISTS = {"ul", "ol", "div", "table"}
_REACH = 12
_MIN_SHARE_LEFT = 0.2
_SMALL_PAGE = 2000


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page is about.

    :param soup: its content.
    :param title: its title.
    :param metadata: what it says of itself.
    :param removed: how many words of menus and the like were left out, for `StructuredResult`.
    """

    soup: BeautifulSoup
    title: str | None
    metadata: dict[str, Any]
    removed: dict[str, int]


def parse_content(text: str) -> PageContent:
    """Parse a page and keep its content, as `keep_content` does; all that it shows when hardly anything is left.

    :param text: the HTML.
    """
    soup = parse_html(text)
    title, metadata = read_title(soup), read_metadata(soup)
    shown = _strings(soup)
    keep_content(soup)
    kept = _strings(soup)
    if _length(kept) < _MIN_SHARE_LEFT * min(_length(shown), _SMALL_PAGE):
        soup = parse_html(text)
        for element in soup(["script", "style", "template", "title"]):
            element.decompose()
        kept = shown
    return PageContent(soup, title, metadata, {AROUND: max(0, _words(shown) - _words(kept))})


def _strings(soup: BeautifulSoup) -> list[str]:
    return list((soup.body or soup).stripped_strings)


def _length(strings: list[str]) -> int:
    return sum(map(len, strings))


def _words(strings: list[str]) -> int:
    return sum(len(string.split()) for string in strings)


def keep_content(soup: BeautifulSoup) -> None:
    """Take out of a page what is not its content, in place.

    Menus, banners, footers and the like go by element, role or the words of their class and id, lists of links by
    their share of link text; each only while it holds a small part of the page. A main element or a sole article is
    believed when it holds a good part of the text.

    :param soup: the page.
    """
    for element in soup.find_all(_is_no_content):
        if not _is_gone(element):
            element.decompose()
    root = _main(soup) or soup.body or soup
    if root is not soup.body:
        for header in reversed(_headers_with_a_title(soup, root)):
            root.insert(0, header.extract())
    _drop_around(root)
    whole = len(root.get_text(strip=True))
    for element in root.find_all(_BLOCKS):
        if not _is_gone(element) and _is_chrome(element, whole):
            element.decompose()
    for element in _holders_of_links(root):
        if not _is_gone(element) and _is_link_list(element, whole):
            element.decompose()
    body = soup.body
    if body is not None and root is not body and root is not soup:
        root.extract()
        body.clear()
        body.append(root)


def _main(soup: BeautifulSoup) -> Tag | None:
    body = soup.body
    if body is None:
        return None
    length = len(body.get_text(strip=True))
    mains = [one for one in soup.find_all(_is_main) if not one.find_parent("article")]
    articles = [one for one in soup.find_all("article") if not one.find_parent("article")]
    for found in (mains, articles):
        if len(found) == 1 and len(found[0].get_text(strip=True)) >= _MAIN_SHARE * length:
            return found[0]
    return None


def _headers_with_a_title(soup: BeautifulSoup, root: Tag) -> list[Tag]:
    """Return headers around the content that hold the page's own title; the name of a site is a link most often."""
    found = []
    for header in soup.find_all("header"):
        title = header.find("h1")
        if title is None or title.find("a") or title.find_parent("a") or header.find_parent(["article", "aside"]):
            continue
        if not any(parent is root for parent in header.parents) and not header.find(["main", "article"]):
            found.append(header)
    return found


def _is_gone(element: Tag) -> bool:
    # `Tag.decomposed` would search the whole element for a child of that name.
    return "_decomposed" in vars(element)


def _is_main(element: Tag) -> bool:
    return element.name == "main" or element.get("role") == "main"


def _is_no_content(element: Tag) -> bool:
    if element.name in _NOT_CONTENT or (element.name == "input" and element.get("type") != "checkbox"):
        return True
    attributes = element.attrs
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in _ROLES
        or bool(_HIDDEN_STYLE.search(str(attributes.get("style") or "")))
        or not _NOT_CONTENT_CLASSES.isdisjoint(attributes.get("class") or ())
        or (element.name == "a" and "anchor" in (attributes.get("class") or ()))
    )


def _drop_around(root: Tag) -> None:
    """Drop the site's own head, foot and sides; an article's header holds its title."""
    for element in root.find_all(["header", "footer", "aside"]):
        if _is_gone(element) or element.find_parent(["article", "main", "blockquote"]) or element.name == root.name:
            continue
        if element.name == "header" and element.find("h1"):
            continue
        if element.name == "aside" and (_is_main(root) or element.get("role") in _NOTES):
            continue
        element.decompose()
    for element in root.find_all(role=["banner", "complementary"]):
        if not _is_gone(element) and not element.find("h1"):
            element.decompose()


def _is_chrome(element: Tag, whole: int) -> bool:
    names = [*(element.get_attribute_list("class")), str(element.get("id") or "")]
    words = {word.lower() for name in names if name for word in _WORDS.findall(name)}
    if not words & _CHROME_WORDS or element.find(["h1", "main", "article"]):
        return False
    return len(element.get_text(strip=True)) <= _CHROME_SHARE * whole


def _holders_of_links(root: Tag) -> list[Tag]:
    """Return the lists and blocks with several links not far below them, outer ones first."""
    counts: dict[int, int] = {}
    holders: dict[int, Tag] = {}
    for link in root.find_all("a", href=True):
        for parent in islice(link.parents, _REACH):
            if parent is root:
                break
            if parent.name in _LISTS:
                counts[id(parent)] = counts.get(id(parent), 0) + 1
                holders[id(parent)] = parent
    found = [holder for key, holder in holders.items() if counts[key] >= _MIN_LINKS]
    return sorted(found, key=lambda holder: -counts[id(holder)])


def _is_link_list(element: Tag, whole: int) -> bool:
    text = element.get_text(strip=True)
    if len(text) > _LINKS_SHARE * whole:
        return False
    shown = [link.get_text(strip=True) for link in element.find_all("a", href=True)]
    in_links = sum(map(len, shown))
    short = in_links <= _MAX_LINK_LENGTH * len(shown)
    return short and in_links >= _LINK_DENSITY * len(text) and not any(_SENTENCE.search(name) for name in shown)
