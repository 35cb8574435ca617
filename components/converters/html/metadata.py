"""What an HTML page says of itself."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bs4 import BeautifulSoup

_NAMES = {
    "description": ("description", "og:description", "dc.description"),
    "author": ("author", "article:author", "dc.creator", "citation_author"),
    "created": ("article:published_time", "date", "dc.date", "dc.date.issued", "datepublished", "publishdate"),
    "modified": ("article:modified_time", "last-modified", "og:updated_time", "datemodified"),
    "keywords": ("keywords", "news_keywords"),
    "site": ("og:site_name", "application-name"),
}
_LINKED = {"author": "author", "created": "datePublished", "modified": "dateModified", "description": "description"}
_SEPARATOR = re.compile(r"(?<!\s)\s++[-–—|·»:]\s++")
_ADDRESS = re.compile(r"https?://")
_MAX_DEPTH = 5


def read_title(soup: BeautifulSoup) -> str | None:
    """Return the page's title without the site's name, where a heading or the page itself shows what that is."""
    given = soup.title.get_text() if soup.title else _meta(soup).get("og:title")
    title = " ".join((given or "").split())
    heading = soup.find("h1")
    known = {" ".join(heading.get_text(" ").split()) if heading else "", _meta(soup).get("og:title", "")} - {""}
    first = _SEPARATOR.split(title)[0]
    return first if first in known else title or None


def read_metadata(soup: BeautifulSoup) -> dict[str, Any]:
    """Read description, author, created, modified, keywords, site, language and address, where they are given."""
    meta = _meta(soup)
    found: dict[str, Any] = {}
    for key, names in _NAMES.items():
        found[key] = next((meta[name] for name in names if meta.get(name)), None)
    for record in _linked_data(soup):
        for key, name in _LINKED.items():
            found[key] = found[key] or _plain(record.get(name))
    if found["author"] and _ADDRESS.match(found["author"]):
        found["author"] = None
    time = soup.select_one("article time[datetime], header time[datetime], time[pubdate]")
    found["created"] = found["created"] or (str(time["datetime"]) if time else None)
    found["language"] = soup.html.get("lang") if soup.html else None
    canonical = soup.find("link", rel="canonical", href=_ADDRESS)
    found["address"] = canonical.get("href") if canonical else None
    return {key: value for key, value in found.items() if value}


def _meta(soup: BeautifulSoup) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in soup.find_all("meta"):
        name = str(element.get("name") or element.get("property") or element.get("itemprop") or "").lower()
        content = " ".join(str(element.get("content") or "").split())
        if name and content:
            found.setdefault(name, content)
    return found


def _linked_data(soup: BeautifulSoup) -> Iterator[dict[str, Any]]:
    for element in soup.find_all("script", type="application/ld+json"):
        try:
            yield from _records(json.loads(element.get_text()))
        except (ValueError, RecursionError):
            continue


def _records(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(data, list) and depth < _MAX_DEPTH:
        for one in data:
            yield from _records(one, depth + 1)
    elif isinstance(data, dict):
        yield data
        yield from _records(data.get("@graph"), depth + 1)


def _plain(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("name")
    if isinstance(value, list):
        names = [name for one in value[:10] if (name := _plain(one))]
        return ", ".join(names) or None
    return " ".join(value.split()) or None if isinstance(value, str) else None
