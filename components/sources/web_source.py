"""The pages of a web site below an address: `web:https://docs.example.com/guide/`."""

import contextlib
import hashlib
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from protego import Protego

from khub.components.converters.file_types import doc_type_of
from khub.components.errors import SourceError
from khub.components.sources.checked_client import AGENT, LASTING, REDIRECTS, CheckedClient, Reply
from khub.components.sources.media_types import extension_for
from khub.components.sources.page_address import is_web, kept_name, leads_in_a_circle, page_address
from khub.components.sources.page_links import links_of, markdown_links
from khub.components.sources.secret import authorization
from khub.components.sources.sitemap import read_sitemap
from khub.components.sources.source import Item, KnownItem, Notes, Options, number

MOST_PAGES = 5000
DEPTH = 10
DELAY_S = 0.1
LONGEST_DELAY_S = 10.0
VARIANTS = 50
"""So many addresses that differ in their parameters alone are followed: a calendar has no last page."""
MOST_SITEMAPS = 200
PAGE_BYTES = 10_000_000
"""A longer page is kept; its links are not followed."""
GONE = frozenset({404, 410})
MOVED = range(300, 400)
OF_PAGES = frozenset({".css", ".js", ".mjs", ".map", ".ico", ".svg", ".woff", ".woff2", ".ttf", ".eot"})
"""What pages are made of."""
A_DAY = re.compile(r"\d{4}-\d\d-\d\d")
IN_MOTION = timedelta(days=2)
"""A sitemap that says a day and no time does not tell what changed later on that day."""


@dataclass
class _Seen:
    """What was met during one walk."""

    asked: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    contents: dict[str, str] = field(default_factory=dict)
    variants: Counter[str] = field(default_factory=Counter)
    unsure: set[str] = field(default_factory=set)
    """Pages that were not known before and could not be had."""


class Source:
    """Reads a sitemap, else follows links; robots.txt is obeyed, and pages that did not change are not sent again.

    A page counts as gone only where the site says so itself, or leads elsewhere.

    :param address: `web:` and the address below which pages are taken.
    :param options: `pages`, `depth`, `delay_s` (between two requests) and `key` (an environment variable, sent as a
        bearer token) beside what holds for all sources.
    """

    SETTINGS = ("pages", "depth", "delay_s", "key")

    def __init__(self, address: str, options: Options) -> None:
        told = address.partition(":")[2]
        if not is_web(told):
            raise SourceError(f"{address!r} names no web site", "write it like web:https://docs.example.com/guide/")
        self._start = page_address(told)
        more = options.more
        self._options = options
        self._most = int(number(more, "pages", MOST_PAGES, 1))
        self._depth = int(number(more, "depth", DEPTH, 0))
        delay_s, secret = number(more, "delay_s", DELAY_S, 0), authorization(told, more.get("key"))
        self._client = CheckedClient(options, self._start, delay_s, secret)
        self._bodies: dict[str, Path] = {}
        self._robots: Protego = Protego.parse("")

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield the pages, and the documents to which they link."""
        self._obey_robots()
        self._follow_the_start(known)
        seen = _Seen()
        pages = self._named_by_sitemaps(notes)
        if pages or (notes.incomplete and known):
            found = self._each(pages, known, seen, notes)
        else:
            found = self._walk([self._start, *self._named_for_models()], known, seen, notes)
        for count, item in enumerate(found):
            if count >= self._most:
                notes.leave_out(self._start, f"it has more than {self._most:,} pages: set `pages` higher for the rest")
                if item.id in known:  # it was met, and is not one of those that are asked for below
                    yield item
                break
            yield item
        if not seen.listed and not known:
            raise self._without_pages()
        yield from self._still_there(known, seen, notes)

    def read(self, item: Item, target: Path) -> None:
        """Put what was fetched during the walk into its place."""
        body = self._bodies.pop(item.id, None)
        if body is None:  # what was kept of it is not here any more, and the site could not be asked for it now
            raise SourceError(f"{item.id} could not be fetched", "sync the source again")
        body.replace(target)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _without_pages(self) -> SourceError:
        if self._robots.can_fetch(self._start, AGENT):
            return SourceError(
                f"{self._start} has no page that can be read", "check the address", code="url_unreachable"
            )
        return SourceError(
            f"{self._start} is closed by the robots.txt of its site",
            "name a part of it that is open to programs, or ask its owner",
            code="url_not_allowed",
        )

    def _obey_robots(self) -> None:
        reply, text = self._client.text(urljoin(self._start, "/robots.txt"), self._options.scratch_file())
        if reply.status >= 500:  # RFC 9309, 2.3.1.4
            raise SourceError(
                f"{urljoin(self._start, '/robots.txt')} answers {reply.status}",
                "try again later",
                code="url_unreachable",
            )
        self._robots = Protego.parse(text if reply.ok else "")
        wished = self._robots.crawl_delay(AGENT) or 0.0
        self._client.delay_s = max(self._client.delay_s, min(wished, LONGEST_DELAY_S))

    def _follow_the_start(self, known: Mapping[str, KnownItem]) -> None:
        """Take what the address leads to for the address, and see that there is a site at all.

        A site that has had pages does not become another one by a redirect that is for now: it asks to sign in.
        """
        reply = self._client.fetch(self._start, self._options.scratch_file(), follow=True)
        if not reply.ok and reply.status not in GONE:  # a folder of pages need not be a page
            raise SourceError(
                f"{self._start} answers {reply.status}",
                "check the address, and the `key` of the source",
                code="url_unreachable",
            )
        host = urlsplit(reply.url).netloc
        if urlsplit(self._start).netloc == host:
            return
        if known and reply.for_now and not any(urlsplit(url).netloc == host for url in known):
            raise SourceError(
                f"{self._start} leads to {host} for now",
                "check the `key` of the source; if the site has moved, name its new address",
                code="url_unreachable",
            )
        self._start = page_address(reply.url)
        self._obey_robots()

    def _named_by_sitemaps(self, notes: Notes) -> dict[str, str]:
        """Return address -> time of the last change, of the pages below the start."""
        told = list(self._robots.sitemaps)
        waiting = deque(told or [urljoin(self._start, "/sitemap.xml")])
        found, asked = dict[str, str](), set[str]()
        while waiting and len(asked) < MOST_SITEMAPS:
            url = waiting.popleft()
            if url in asked or urlsplit(url).netloc != urlsplit(self._start).netloc:
                continue
            asked.add(url)
            try:
                reply = self._client.fetch(url, target := self._options.scratch_file(), follow=True)
                if not reply.ok:
                    raise SourceError(f"{url} answers {reply.status}", "tell the site's owner")
                for place, modified, is_map in read_sitemap(target.read_bytes()):
                    if is_map:
                        waiting.append(place)
                    elif self._is_below(page := self._address(place)):
                        found[page] = modified
            except SourceError as error:
                if told or found:
                    notes.incomplete.append(str(error))
        return found

    def _named_for_models(self) -> list[str]:
        """Return what an `llms.txt` names, https://llmstxt.org."""
        url = urljoin(self._start, "/llms.txt")
        reply, text = self._client.text(url, self._options.scratch_file())
        html = "html" in reply.headers.get("content-type", "")
        return [] if not reply.ok or html else [self._address(link) for link in markdown_links(text, url)]

    def _each(
        self, pages: Mapping[str, str], known: Mapping[str, KnownItem], seen: _Seen, notes: Notes
    ) -> Iterator[Item]:
        for url, modified in pages.items():
            if self._may(url, seen, notes):
                item, _ = self._page(url, known, seen, notes, modified)
                if item is not None:
                    yield item

    def _walk(self, starts: list[str], known: Mapping[str, KnownItem], seen: _Seen, notes: Notes) -> Iterator[Item]:
        """Follow links, those of a page that did not change from what is kept of it."""
        waiting = deque((url, 0) for url in dict.fromkeys(starts) if self._is_below(url))
        met = {url for url, _ in waiting}
        while waiting:
            url, depth = waiting.popleft()
            if self._is_one_variant_too_many(url, seen, notes) or not self._may(url, seen, notes):
                continue
            item, links = self._page(url, known, seen, notes)
            if item is not None:
                yield item
            if depth >= self._depth:
                continue
            for link in links:
                if self._is_below(link) and link not in met and self._may_be_read(link):
                    met.add(link)
                    waiting.append((link, depth + 1))

    def _page(
        self,
        url: str,
        known: Mapping[str, KnownItem],
        seen: _Seen,
        notes: Notes,
        lastmod: str = "",
        hops: int = 0,
    ) -> tuple[Item | None, list[str]]:
        """Return what lies at an address, and the pages to which it leads."""
        before = known.get(url)
        if before and lastmod and _is_settled(lastmod) and (before.version or "").split("\n")[0] == lastmod:
            return _unchanged(url, before, seen), []
        target = self._options.scratch_file()
        try:
            reply = self._client.fetch(url, target, _conditions(before), wanted=lambda one: bool(self._kind(url, one)))
        except SourceError as error:
            return self._kept(url, before, seen, notes, error.message)
        if reply.status == 304 and before is not None:
            return _unchanged(url, before, seen), self._links(before.path, url)
        if reply.status in MOVED:
            return self._moved(url, reply, known, seen, notes, hops + 1)
        if not reply.ok:
            gone = reply.status in GONE
            return (None, []) if gone else self._kept(url, before, seen, notes, f"the site answers {reply.status}")
        return self._came(url, target, reply, before, seen, notes, lastmod)

    def _moved(
        self, url: str, reply: Reply, known: Mapping[str, KnownItem], seen: _Seen, notes: Notes, hops: int
    ) -> tuple[Item | None, list[str]]:
        """Return what lies where an address leads, unless it was met already; what leads there for now stays."""
        before, leads_to = known.get(url), self._address(reply.leads_to)
        if not leads_to or ((before or not self._is_below(leads_to)) and reply.status not in LASTING):
            return self._kept(url, before, seen, notes, f"it leads to {leads_to or 'no address'} for now")
        if hops > REDIRECTS:
            return self._kept(url, before, seen, notes, f"it redirects more than {REDIRECTS} times")
        if not self._is_below(leads_to):
            notes.leave_out(url, f"it leads to {leads_to}")
            return None, []
        found = self._page(leads_to, known, seen, notes, hops=hops) if self._may(leads_to, seen, notes) else (None, [])
        if before and leads_to in seen.unsure:
            return self._kept(url, before, seen, notes, f"it leads to {leads_to}, which could not be fetched")
        if leads_to in seen.unsure:
            seen.unsure.add(url)
        return found

    def _came(
        self,
        url: str,
        target: Path,
        reply: Reply,
        before: KnownItem | None,
        seen: _Seen,
        notes: Notes,
        lastmod: str,
    ) -> tuple[Item | None, list[str]]:
        extension = self._kind(url, reply)
        if not extension:
            notes.leave_out(url, f"it is of the type {reply.headers.get('content-type') or 'unknown'!r}")
            return None, []
        links = self._links(target, url) if extension == ".html" else []
        digest = hashlib.sha256(target.read_bytes()).hexdigest()
        first = seen.contents.setdefault(digest, url)
        if first != url and before and digest != _digest(before):  # as where several pages ask to sign in
            return self._kept(url, before, seen, notes, f"it shows the same as {first} now")
        if first != url:
            notes.leave_out(url, f"it shows the same as {first}")
            return None, links
        seen.listed.add(url)
        self._bodies[url] = target
        version = "\n".join((lastmod, reply.headers.get("etag", ""), reply.headers.get("last-modified", ""), digest))
        return Item(url, kept_name(url, extension), version, url, _time(reply, lastmod)), links

    def _kept(
        self, url: str, before: KnownItem | None, seen: _Seen, notes: Notes, reason: str
    ) -> tuple[Item | None, list[str]]:
        """Keep what is known of a page that could not be had this time."""
        notes.leave_out(url, reason)
        if before is None:
            seen.unsure.add(url)
            return None, []
        return _unchanged(url, before, seen), self._links(before.path, url)

    def _still_there(self, known: Mapping[str, KnownItem], seen: _Seen, notes: Notes) -> Iterator[Item]:
        """Ask for pages to which nothing leads any more: some are gone, and some stand on their own."""
        for url in known.keys() - seen.listed - seen.asked:
            if not self._robots.can_fetch(url, AGENT):
                yield Item(url, "", known[url].version, url)
                notes.leave_out(url, "robots.txt closes it: what is kept of it stays")
            elif (item := self._page(url, known, seen, notes)[0]) is not None:
                yield item

    def _kind(self, url: str, reply: Reply) -> str:
        """Return the extension by which an answer is read; empty if it is not."""
        allowed = self._options.extensions
        extension = extension_for(reply.headers.get("content-type", ""), urlsplit(url).path, allowed)
        return extension if extension in allowed else ""

    def _links(self, file: Path, url: str) -> list[str]:
        if file.suffix in ("", ".html") and file.is_file() and file.stat().st_size <= PAGE_BYTES:
            text = file.read_text("utf-8", errors="replace")
            return [self._address(link) for link in links_of(text, url)]
        return []

    def _address(self, link: str) -> str:
        """Return an address as the hub has it; that of a site of https is one of https; empty where it is none."""
        if not is_web(link):
            return ""
        start, found = urlsplit(self._start), page_address(link)
        insecure = f"http://{start.netloc}/"
        return f"{start.scheme}{found[4:]}" if found.startswith(insecure) else found

    def _may(self, url: str, seen: _Seen, notes: Notes) -> bool:
        """Say whether a page is asked for; each is once."""
        if url in seen.asked:
            return False
        seen.asked.add(url)
        if not self._robots.can_fetch(url, AGENT):
            notes.leave_out(url, "robots.txt closes it")
            seen.asked.discard(url)
            return False
        if leads_in_a_circle(url):
            notes.leave_out(url, "its path leads in a circle")
            return False
        return True

    def _is_one_variant_too_many(self, url: str, seen: _Seen, notes: Notes) -> bool:
        """Say whether so many pages that differ in parameters alone were met that no further one is followed."""
        parts = urlsplit(url)
        if parts.query:
            seen.variants[parts.path] += 1
            if seen.variants[parts.path] == VARIANTS + 1:
                notes.leave_out(url, f"{parts.path} has more than {VARIANTS} variants")
        return seen.variants[parts.path] > VARIANTS and bool(parts.query)

    def _may_be_read(self, url: str) -> bool:
        """Say whether the name of a page allows that it is a document; pictures of pages are none."""
        suffix = PurePosixPath(urlsplit(url).path).suffix.lower()
        return suffix not in OF_PAGES and (not suffix or doc_type_of(Path(f"x{suffix}")) != "image")

    def _is_below(self, url: str) -> bool:
        start, parts = urlsplit(self._start), urlsplit(url)
        folder = start.path if start.path.endswith("/") else start.path.rpartition("/")[0] + "/"
        return parts.netloc == start.netloc and (f"{parts.path}/".startswith(folder) or url == self._start)


def _time(reply: Reply, lastmod: str) -> str | None:
    """Return when a page was changed, by its header, else by the sitemap."""
    with contextlib.suppress(ValueError, OverflowError):
        if told := reply.headers.get("last-modified"):
            return parsedate_to_datetime(told).astimezone(UTC).isoformat()
        if lastmod:
            return datetime.fromisoformat(lastmod).astimezone(UTC).isoformat()
    return None


def _unchanged(url: str, before: KnownItem, seen: _Seen) -> Item:
    seen.listed.add(url)
    seen.contents.setdefault(_digest(before), url)
    return Item(url, "", before.version, url)


def _digest(before: KnownItem) -> str:
    """Return the hash of what a page held when it was read."""
    return (before.version or "").rpartition("\n")[2]


def _conditions(before: KnownItem | None) -> dict[str, str]:
    """Return the headers by which a server says that nothing has changed (RFC 9110, 13.1)."""
    if before is None or not before.version or not before.path.is_file():
        return {}
    etag, modified = [*before.version.split("\n"), "", "", ""][1:3]
    told = {"If-None-Match": etag, "If-Modified-Since": modified}
    return {name: value for name, value in told.items() if value and value.isascii()}


def _is_settled(lastmod: str) -> bool:
    """Say whether nothing can have changed since without another time being told."""
    if not A_DAY.fullmatch(lastmod):
        return True
    try:
        return datetime.now(UTC) - datetime.fromisoformat(lastmod).replace(tzinfo=UTC) > IN_MOTION
    except (ValueError, OverflowError):
        return False
