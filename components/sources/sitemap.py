"""The pages that a site names in its sitemap, https://www.sitemaps.org/protocol.html."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

from khub.components.errors import SourceError

CHINESE = re.compile(rb"\s{0,9}<\?xml[^>]{0,99}encoding\s?=\s?[\"']gb(?:2312|k|18030)[\"'][^>]{0,99}>", re.IGNORECASE)
MOST_BYTES = 50_000_000
"""Of one file, unpacked: what the protocol allows."""


def read_sitemap(data: bytes) -> Iterator[tuple[str, str, bool]]:
    """Yield (address, time of the last change or an empty text, whether it is another sitemap).

    :param data: the file, packed or not.
    :raises SourceError: if it is none, or larger than the protocol allows.
    """
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"a sitemap cannot be unpacked ({error})", "tell the site's owner") from error
    if len(data) > MOST_BYTES:
        raise SourceError("a sitemap is larger than 50 MB", "name a path below the site, with a sitemap of its own")
    try:
        root = ElementTree.fromstring(_as_utf8(data))  # noqa: S314 - expat refuses entities that grow without end
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise SourceError(f"a sitemap cannot be read ({error})", "tell the site's owner") from error
    for entry in root:
        kind = entry.tag.rpartition("}")[2]
        if kind in ("url", "sitemap"):
            told = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in entry}
            if told.get("loc"):
                yield told["loc"], told.get("lastmod", ""), kind == "sitemap"


def _as_utf8(data: bytes) -> bytes:
    """Return a file that says to be in one of the Chinese encodings, which expat does not know, in another one."""
    told = CHINESE.match(data)
    return data if told is None else CHINESE.sub(b"", data, count=1).decode("gb18030").encode()
