"""The links of a page, as a visitor could follow them."""

import contextlib
import re
from collections.abc import Iterator
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

MARKDOWN_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")


def links_of(html: str, url: str) -> Iterator[str]:
    """Yield the addresses to which a page links, whole.

    :param url: of the page.
    """
    tree = LexborHTMLParser(html)
    first = tree.css_first("base[href]")
    base = url
    with contextlib.suppress(ValueError):
        base = urljoin(url, (first.attributes.get("href") or "") if first else "")
    for node in tree.css("a[href], area[href], frame[src], iframe[src]"):
        target = node.attributes.get("href") or node.attributes.get("src") or ""
        with contextlib.suppress(ValueError):  # no address at all
            yield urljoin(base, target.strip())


def markdown_links(text: str, url: str) -> Iterator[str]:
    """Yield the addresses to which a Markdown file links, such as an `llms.txt`."""
    for target in MARKDOWN_LINK.findall(text):
        with contextlib.suppress(ValueError):
            yield urljoin(url, target)
