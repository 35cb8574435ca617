"""A web site on this machine, with what makes sites hard to follow."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

LARGE = 100_000_000


@dataclass
class Site:
    """What it serves, and what it was asked for.

    :param pages: path -> (type, content); the content of `text/html` is what stands in the body.
    :param moved: path -> where it leads, from now on.
    :param for_now: path -> where it leads today.
    :param headers: sent with each page.
    :param asked_with: `Authorization` of each request, by its path.
    :param broken: paths that answer 500.
    :param whole: (path, whether the content was sent) of each request.
    """

    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    for_now: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked_with: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    asked: list[tuple[str, int]] = field(default_factory=list)
    etags: bool = True
    address: str = ""

    def page(self, path: str, title: str, text: str, links: tuple[str, ...] = ()) -> None:
        """Make a page with a menu and a footer."""
        menu = "".join(f'<li><a href="{link}">go to {link}</a></li>' for link in links)
        self.pages[path] = (
            "text/html; charset=utf-8",
            (
                f"<html><head><title>{title}</title></head><body><nav><ul>{menu}</ul></nav><main><h1>{title}</h1>"
                f"<p>{text}</p></main><footer>All rights reserved by nobody</footer></body></html>"
            ).encode(),
        )

    def fetched(self) -> list[str]:
        """Return the paths whose content was sent since the last time."""
        sent = [path for path, status in self.asked if status == 200]
        self.asked.clear()
        return sent


@contextlib.contextmanager
def web_site() -> Iterator[Site]:
    """Serve a site until the block ends."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = _answer(site, self.path, self.headers)
            site.asked.append((self.path, status))
            site.asked_with[self.path] = self.headers.get("Authorization") or ""
            with contextlib.suppress(ConnectionError):
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers, **site.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _answer(site: Site, target: str, asked: Any) -> tuple[int, dict[str, str], bytes]:
    path = urlsplit(target).path
    if target in site.broken or path in site.broken:
        return 500, {}, b"no"
    if target in site.moved or target in site.for_now:
        status = 301 if target in site.moved else 302
        return status, {"Location": site.moved.get(target) or site.for_now[target]}, b""
    found = site.pages.get(target) or site.pages.get(path)
    if found is None:
        return 404, {}, b"nothing here"
    kind, body = found
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"Content-Type": kind, **({"ETag": etag} if site.etags else {})}
    if site.etags and asked.get("If-None-Match") == etag:
        return 304, headers, b""
    return 200, headers, body
