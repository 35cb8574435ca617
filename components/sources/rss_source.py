"""The articles of a feed, RSS or Atom: `rss:https://blog.example.com/feed.xml`."""

import calendar
import hashlib
import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser

from khub.components.errors import SourceDamagedError, SourceError
from khub.components.private_files import owners_alone
from khub.components.sources.checked_client import CheckedClient
from khub.components.sources.page_address import is_web, kept_name, page_address
from khub.components.sources.secret import authorization
from khub.components.sources.source import Item, KnownItem, Notes, Options, number
from khub.components.text.shown_address import shown_address

DELAY_S = 0.5


class Source:
    """Reads the page of each article, else what the feed holds of it; articles that left the feed stay.

    :param address: `rss:` and the address of the feed.
    :param options: `pages` (false: only what the feed holds), `delay_s` and `key` beside what holds for all sources.
    """

    SETTINGS = ("pages", "delay_s", "key")

    def __init__(self, address: str, options: Options) -> None:
        self._feed = address.partition(":")[2]
        if not is_web(self._feed):
            raise SourceError(f"{address!r} names no feed", "write it like rss:https://blog.example.com/feed.xml")
        more = options.more
        self._options = options
        self._with_pages = bool(more.get("pages", True))
        delay_s, secret = number(more, "delay_s", DELAY_S, 0), authorization(self._feed, more.get("key"))
        self._client = CheckedClient(options, self._feed, delay_s, secret)
        self._bodies: dict[str, Path] = {}

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield the articles of the feed as it is now; it never says that an older one is gone."""
        notes.incomplete.append("a feed names its latest articles alone: older ones stay")
        target = self._options.scratch_file()
        reply = self._client.fetch(self._feed, target, follow=True)
        if not reply.ok:
            raise SourceError(f"{self._feed} answers {reply.status}", "check the address", code="url_unreachable")
        feed = feedparser.parse(target.read_bytes(), response_headers={"content-location": shown_address(reply.url)})
        if feed.bozo and not feed.entries:
            raise SourceDamagedError(f"{self._feed} is no feed ({feed.get('bozo_exception')})", "check the address")
        for entry in feed.entries:
            link = entry.get("link") or ""
            name = entry.get("id") or link or hashlib.sha256(_text(entry).encode()).hexdigest()
            version = _told(entry, "updated", "published") or hashlib.sha256(_text(entry).encode()).hexdigest()
            if name not in known or known[name].version != version:
                self._bodies[name] = self._body(entry, link, notes)
            place = kept_name(page_address(link), ".html") if is_web(link) else f"{_short(name)}.html"
            yield Item(name, place, version, link, _time(entry))

    def read(self, item: Item, target: Path) -> None:
        """Put what was fetched while listing into its place."""
        self._bodies.pop(item.id).replace(target)  # each that is read was fetched

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _body(self, entry: Any, link: str, notes: Notes) -> Path:
        target = self._options.scratch_file()
        if self._with_pages and is_web(link):
            try:
                reply = self._client.fetch(link, target, follow=True)
                if reply.ok and "html" in reply.headers.get("content-type", ""):
                    return target
                notes.leave_out(link, f"it answers {reply.status}: what the feed holds of it is read")
            except SourceError as error:
                notes.leave_out(link, f"{error.message}: what the feed holds of it is read")
        title = html.escape(re.sub(r"<[^<>]*+>", "", entry.get("title") or ""))
        head = f'<head><meta charset="utf-8"><title>{title}</title></head>'
        with open(target, "w", encoding="utf-8", opener=owners_alone) as file:
            file.write(f"<html>{head}<body><h1>{title}</h1>{_text(entry)}</body></html>")
        return target


def _text(entry: Any) -> str:
    contents = [one.get("value", "") for one in entry.get("content", [])]
    return str(max([*contents, entry.get("summary") or ""], key=len))


def _time(entry: Any) -> str | None:
    parsed = _told(entry, "updated_parsed", "published_parsed")
    return datetime.fromtimestamp(calendar.timegm(parsed), UTC).isoformat() if parsed else None


def _told(entry: Any, *names: str) -> Any:
    """Return the first field that an article has itself: feedparser answers for some that it has not."""
    return next((entry[name] for name in names if name in entry), None)


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]
