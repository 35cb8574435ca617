"""Files from a web server of this machine, and all that is refused."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from khub.components.errors import SourceError
from khub.server.library import url_download
from khub.server.library.url_download import Limits, download
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

PAGES = {
    "/page.php": ("text/html; charset=utf-8", b"<h1>Herons</h1>"),
    "/notes.md": ("text/plain", b"# Notes"),
    "/": ("text/html", b"<h1>Start</h1>"),
    "/report": ("application/pdf", b"%PDF-1.7"),
    "/plain": ("text/plain", b"words"),
    "/a/%E9%B1%BC%20b.txt": ("application/octet-stream", b"fish"),
    "/photo": ("video/mp4", b"x"),
    "/large.txt": ("text/plain", b"x" * 30_000),
}


class Web(BaseHTTPRequestHandler):
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self):
        self.asked.append((self.path, self.headers["Host"]))
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        elif self.path == "/slow.txt":
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            for _ in range(200):
                self.wfile.write(b"x")
                time.sleep(0.02)
        elif self.path in PAGES:
            kind, body = PAGES[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _nothing_asked():
    Web.asked.clear()


@pytest.fixture
def fetch(site, tmp_path):
    return lambda path, **more: download(f"{site}{path}", tmp_path / "kept", Limits(**{"private": True, **more}))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/page.php", "page.php.html"), ("/notes.md", "notes.md"), ("/", "index.html"), ("/report", "report.pdf"),
        ("/plain?x=1", "plain.txt"), ("/a/%E9%B1%BC%20b.txt", "鱼_b.txt"),
    ],
)  # fmt: skip
def test_a_file_is_kept_under_a_name_that_says_what_it_is(fetch, path, name, monkeypatch):
    monkeypatch.setitem(PAGES, "/plain?x=1", PAGES["/plain"])
    kept = fetch(path)
    assert (kept.name, kept.read_bytes()) == (name, PAGES[path][1])
    assert [file.name for file in kept.parent.iterdir()] == [name]


def test_the_same_address_replaces_its_file(fetch, monkeypatch):
    kept = fetch("/plain")
    monkeypatch.setitem(PAGES, "/plain", ("text/html", b"<p>other"))
    again = fetch("/plain")
    assert (again.parent, again.name) == (kept.parent, "plain.html")
    assert not kept.exists()
    monkeypatch.delitem(PAGES, "/plain")
    with pytest.raises(SourceError, match="status 404"):
        fetch("/plain")
    assert again.read_bytes() == b"<p>other"


def test_the_server_is_asked_by_its_name(fetch, site):
    fetch("/plain")
    assert Web.asked == [("/plain", site.removeprefix("http://"))]


def test_redirects_are_followed_and_looked_at(fetch, site, tmp_path):
    assert fetch("/to//notes.md").read_bytes() == b"# Notes"
    assert fetch(f"/to/{site}/notes.md").read_bytes() == b"# Notes"
    assert fetch("/to//to//to//to//to//notes.md")
    with raises_code("url_unreachable", "5 times"):
        fetch("/to//to//to//to//to//to//notes.md")
    for target in ("file:///etc/passwd", "ftp://localhost/x", "gopher://localhost/x"):
        with raises_code("url_not_allowed", "http or https"):
            fetch(f"/to/{target}")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0", "::1", "fd00::1", "fe80::1%eth0",
     "::ffff:10.0.0.1", "224.0.0.1", "100.64.0.1", "fec0::1",
     "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::127.0.0.1", "64:ff9b:1:7f00:0:100::",
     "2002:7f00:1::1", "2002:c0a8:101::", "2001:0:5db8:d822::f5ff:fffe", "2001:0:a00:1::a247:27dd",
     "::127.0.0.1", "::10.1.2.3"],
)  # fmt: skip
def test_private_addresses_are_refused_before_they_are_asked(site, tmp_path, monkeypatch, address):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 80)),
             (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))]  # fmt: skip
    monkeypatch.setattr(url_download.socket, "getaddrinfo", lambda *_, **__: found)
    with raises_code("url_not_allowed", "--allow-private"):
        download(f"{site}/plain", tmp_path, Limits())
    assert Web.asked == []


def test_a_redirect_to_a_private_address_is_refused(site, tmp_path, monkeypatch):
    monkeypatch.setattr(url_download, "is_public", lambda address: len(Web.asked) == 0)
    with pytest.raises(SourceError, match="is no public address"):
        download(f"{site}/to//notes.md", tmp_path, Limits())
    assert [path for path, _ in Web.asked] == ["/to//notes.md"]


def test_limits(fetch, tmp_path):
    assert fetch("/large.txt", max_mb=0.03)
    with raises_code("source_too_large", "0.02 MB"):
        fetch("/large.txt", max_mb=0.02)
    started = time.monotonic()
    with raises_code("source_timeout", "0.3 s"):
        fetch("/slow.txt", timeout_s=0.3)
    assert time.monotonic() - started < 3
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://no-such-host.invalid/x", "url_unreachable"),
        ("http:///x", "url_not_allowed"),
        ("ftp://localhost/x", "url_not_allowed"),
        ("http://localhost:1/x", "url_unreachable"),
    ],
)
def test_what_cannot_be_had_is_told(tmp_path, url, code):
    with raises_code(code, url):
        download(url, tmp_path, Limits(private=True))


def test_what_is_not_read_is_refused(fetch):
    with raises_code("source_type_not_read", "'video/mp4'"):
        fetch("/photo")


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "2606:4700::1111", "64:ff9b::93.184.216.34", "2002:5db8:d822::1", "::ffff:93.184.216.34"],
)
def test_an_address_counts_as_the_one_that_it_maps_to(address):
    assert url_download.is_public(address)


def test_credentials_are_sent_and_told_to_nobody(fetch, site, tmp_path, monkeypatch):
    monkeypatch.setitem(PAGES, "/plain?token=s3cret&a=1", PAGES["/plain"])
    monkeypatch.setitem(PAGES, "/plain?token=other&a=1", PAGES["/plain"])
    kept = fetch("/plain?token=s3cret&a=1")
    assert fetch("/plain?token=other&a=1") == kept
    assert Web.asked[0][0] == "/plain?token=s3cret&a=1"
    for path in ("/gone?api_key=s3cret", "/to/ftp://localhost/x?sig=s3cret", "/photo?key=s3cret"):
        with pytest.raises(SourceError) as caught:
            fetch(path)
        assert "s3cret" not in str(caught.value)
    with pytest.raises(SourceError) as caught:
        download("http://u:s3cret@local\nhost/?password=s3cret", tmp_path, Limits(private=True))
    assert "s3cret" not in str(caught.value)
