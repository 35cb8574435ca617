"""Ask web servers as a guest does: slowly, within limits, and where a redirect leads only after a look."""

import contextlib
import email.utils
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urljoin

import httpx

from khub.components.errors import SourceError, SourceSizeError
from khub.components.private_files import owners_alone
from khub.components.sources.source import Options
from khub.components.text.shown_address import shown_address, without_credentials

AGENT = "knowledge-hub"
MEGABYTE = 1_000_000
TIMEOUT_S = 20.0
WHOLE_S = 300.0
"""So long may one answer take in all."""
REDIRECTS = 5
LASTING = frozenset({301, 308})
"""Redirects that say that something has moved; others are as those to a page for signing in."""
LATER = frozenset({429, 502, 503, 504})
"""What a server says that is to be asked again."""
TRIES = 3
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True)
class Reply:
    """What a server answered, without its content.

    :param url: what was asked for in the end.
    :param headers: names in lower case.
    :param for_now: whether a redirect on the way was one that may be another tomorrow.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    for_now: bool = False

    @property
    def leads_to(self) -> str:
        """Return where a redirect leads; empty where that is no address."""
        try:
            return urljoin(self.url, self.headers.get("location", ""))
        except ValueError:
            return ""

    @property
    def ok(self) -> bool:
        """Say whether the content came."""
        return 200 <= self.status < 300


class CheckedClient:
    """Fetches one address after the other; nothing of the environment is used, and no cookie is kept.

    :param options: `max_mb` holds for each answer.
    :param site: an address of the site that is read.
    :param delay_s: time from one request to the next.
    :param secret: value of the header `Authorization`; it goes to that site alone, and not from https to http.
    """

    def __init__(self, options: Options, site: str, delay_s: float = 0.0, secret: str = "") -> None:
        self.delay_s = delay_s
        self._max_bytes = options.max_mb * MEGABYTE
        self._secret = secret
        self._site = httpx.URL(site)
        self._last = -math.inf
        self._client = httpx.Client(
            trust_env=False, follow_redirects=False, timeout=TIMEOUT_S, headers={"User-Agent": AGENT}
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def fetch(
        self,
        url: str,
        target: Path,
        headers: Mapping[str, str] | None = None,
        follow: bool = False,
        wanted: Callable[[Reply], bool] = lambda _: True,
    ) -> Reply:
        """Ask for an address, and write what comes to a file if it is what was asked for.

        :param headers: further ones.
        :param follow: whether redirects are followed; otherwise one is a reply as any other.
        :param wanted: says, before the content comes, whether it is taken.
        :raises SourceError: if there is no answer, too large a one, or it takes too long.
        """
        for_now = False
        for _ in range(REDIRECTS + 1):
            reply = self._patiently(url, target, headers or {}, wanted)
            if not follow or "location" not in reply.headers or not 300 <= reply.status < 400:
                return replace(reply, for_now=for_now)
            for_now |= reply.status not in LASTING
            url = reply.leads_to
        raise SourceError(
            f"{shown_address(url)!r} redirects more than {REDIRECTS} times",
            "name the address that it leads to",
            code="url_unreachable",
        )

    def text(self, url: str, scratch: Path) -> tuple[Reply, str]:
        """Return what lies at an address, redirects followed, as text; empty where nothing does."""
        reply = self.fetch(url, scratch, follow=True)
        return reply, scratch.read_text("utf-8", errors="replace") if reply.ok else ""

    def _patiently(self, url: str, target: Path, headers: Mapping[str, str], wanted: Callable[[Reply], bool]) -> Reply:
        for again in range(1, TRIES):
            reply = self._once(url, target, headers, wanted)
            if reply.status not in LATER:
                return reply
            time.sleep(_wait_s(reply.headers.get("retry-after", ""), again))
        return self._once(url, target, headers, wanted)

    def _once(self, url: str, target: Path, headers: Mapping[str, str], wanted: Callable[[Reply], bool]) -> Reply:
        time.sleep(max(0.0, self._last + self.delay_s - time.monotonic()))
        self._last = time.monotonic()
        shown = shown_address(url)
        try:
            if httpx.URL(url).scheme not in ("http", "https"):
                raise SourceError(f"{shown!r} is no web address", "name one of http or https", code="url_not_allowed")
            with self._client.stream("GET", url, headers={**headers, **self._authorization(url)}) as response:
                reply = Reply(url, response.status_code, {k.lower(): v for k, v in response.headers.items()})
                if reply.ok and wanted(reply):
                    with open(target, "wb", opener=owners_alone) as file:
                        file.writelines(self._blocks(response, shown))
                return reply
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = without_credentials(str(error)) or type(error).__name__
            raise SourceError(
                f"{shown!r} cannot be fetched ({reason})", "check the address and the network", code="url_unreachable"
            ) from error

    def _authorization(self, url: str) -> dict[str, str]:
        site, asked = self._site, httpx.URL(url)
        own = (asked.host, asked.port) == (site.host, site.port) and asked.scheme in (site.scheme, "https")
        return {"Authorization": self._secret} if self._secret and own else {}

    def _blocks(self, response: httpx.Response, shown: str) -> Iterator[bytes]:
        size, until = 0, time.monotonic() + WHOLE_S
        if int(response.headers.get("content-length") or 0) > self._max_bytes:
            raise _too_large(shown, self._max_bytes)
        for block in response.iter_bytes():
            size += len(block)
            if size > self._max_bytes:
                raise _too_large(shown, self._max_bytes)
            if time.monotonic() > until:
                raise SourceError(f"{shown!r} took longer than {WHOLE_S:g} s", "try again", code="source_timeout")
            yield block


def _too_large(shown: str, most: float) -> SourceSizeError:
    return SourceSizeError(f"{shown!r} is larger than {most / MEGABYTE:g} MB", "set `max_mb` of the source higher")


def _wait_s(retry_after: str, again: int) -> float:
    """Return how long a server wants to be left alone: seconds or a date, else longer each time."""
    wait = 2.0**again
    with contextlib.suppress(ValueError, OverflowError):
        if retry_after.endswith("GMT"):
            wait = email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time()
        elif retry_after:
            wait = float(retry_after)
    return min(max(0.0, wait), LONGEST_WAIT_S) if math.isfinite(wait) else LONGEST_WAIT_S
