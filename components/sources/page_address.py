"""Which addresses of a web site are pages of their own, and under which name each is kept."""

import hashlib
import re
from collections import Counter
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

TRACKING = re.compile(r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|_ga|ref_src|phpsessid|jsessionid|sid", re.IGNORECASE)
"""Parameters that change nothing of what is shown."""
MOST_PARTS = 20
"""A path with more parts leads in a circle."""
MOST_REPEATED = 3
"""So often one part may stand in a path."""
LONGEST_NAME = 80


def page_address(url: str) -> str:
    """Return an address as each link to the same page has it: no fragment, no parameters that follow a visitor."""
    parts = urlsplit(url)
    port = parts.port
    default = {"http": 80, "https": 443}.get(parts.scheme)
    name = parts.hostname or ""
    host = (f"[{name}]" if ":" in name else name) + (f":{port}" if port and port != default else "")
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.fullmatch(pair[0])]
    path = re.sub(r";jsessionid=[^/]*", "", parts.path, flags=re.IGNORECASE) or "/"
    return urlunsplit((parts.scheme, host, path, urlencode(kept), ""))


def is_web(link: str) -> bool:
    """Say whether a text is an address of the web; what stands in pages need not be one."""
    try:
        parts = urlsplit(link)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def leads_in_a_circle(url: str) -> bool:
    """Say whether a path is one that a site makes without end, such as /a/b/a/b/a/b/a/b."""
    parts = [part for part in urlsplit(url).path.split("/") if part]
    return len(parts) > MOST_PARTS or max(Counter(parts).values(), default=0) > MOST_REPEATED


def kept_name(url: str, extension: str) -> str:
    """Return the path under which a page is kept, from its site's root on.

    :param extension: by which it is read.
    """
    parts = urlsplit(url)
    folders, _, last = unquote(parts.path).strip("/").rpartition("/")
    if parts.path.endswith("/") or not last:
        folders, last = unquote(parts.path).strip("/"), "index"
    if PurePosixPath(last).suffix.lower() == extension:
        last = last[: -len(extension)]
    if parts.query:
        last += f"-{hashlib.sha256(parts.query.encode()).hexdigest()[:8]}"
    if len(last) > LONGEST_NAME:
        last = f"{last[:LONGEST_NAME]}-{hashlib.sha256(last.encode()).hexdigest()[:8]}"
    return f"{folders}/{last}{extension}".lstrip("/")
