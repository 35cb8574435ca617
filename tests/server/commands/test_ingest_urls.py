"""`khub ingest URL`."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


class Web(BaseHTTPRequestHandler):
    body = b"<html><body><h1>Herons</h1><p>Herons wade slowly in shallow water.</p></body></html>"

    def do_GET(self):
        self.send_response(404 if "gone" in self.path else 200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


ALLOWED = ("--allow-url", "--allow-private")


def test_a_page_comes_in_with_its_address_beside_files(khub_json, files, site, tmp_path):
    result = khub_json("ingest", f"{site}/herons", files, *ALLOWED, "--meta", "team=a")
    assert (len(result["written"]), result["failed"]) == (4, [])
    row = khub_json("show", "herons.html")
    assert (row["meta"]["url"], row["meta"]["team"], row["title"]) == (f"{site}/herons", "a", "Herons")
    kept = tmp_path / "home" / "downloads" / "default"
    assert row["source"].startswith(str(kept))
    assert len(khub_json("ingest", f"{site}/herons", *ALLOWED)["unchanged"]) == 1
    assert khub_json("query", "herons", "--filter", f"url={site}/herons")["citations"]
    khub_json("delete", "herons.html")
    assert list(kept.iterdir()) == []


def test_a_deleted_collection_leaves_no_file(khub_json, site, tmp_path):
    khub_json("ingest", site, *ALLOWED, "-c", "网页")
    assert list((tmp_path / "home" / "downloads").rglob("index.html"))
    khub_json("delete", "-c", "网页", "--yes")
    assert not list((tmp_path / "home" / "downloads").iterdir())


def test_nothing_is_fetched_unless_it_is_allowed(khub, khub_json, site, files):
    for arguments, said in (
        ([site], "is fetched only with --allow-url"),
        ([site, "--allow-private"], "is fetched only with --allow-url"),
        ([files, "--allow-private"], "add --allow-url"),
        ([site, "--allow-url", "--dry-run"], "without being fetched"),
    ):
        result = khub("ingest", *arguments)
        assert result.exit_code == 2
        assert said in " ".join(result.stderr.split())
    (failure,) = khub_json("ingest", site, "--allow-url", code=1)["failed"]
    assert (failure["source"], "--allow-private" in failure["remedy"]) == (site, True)


def test_one_that_cannot_be_had_stops_no_other(khub_json, site):
    result = khub_json("ingest", f"{site}/gone", f"{site}/there", *ALLOWED, code=1)
    assert len(result["written"]) == 1
    assert "status 404" in result["failed"][0]["error"]


def test_credentials_of_an_address_are_kept_nowhere(khub, khub_json, site, tmp_path):
    secret = site.replace("http://", "http://me:s3cret@")
    khub_json("ingest", f"{secret}/herons?token=s3cret&v=1", *ALLOWED)
    again = khub_json("ingest", f"{site}/herons?v=1&token=an0ther", *ALLOWED)
    assert len(again["unchanged"]) == 1
    assert khub_json("show", "herons.html")["meta"]["url"] == f"{site}/herons?v=1"
    (failure,) = khub_json("ingest", f"{secret}/gone?api_key=s3cret", *ALLOWED, code=1)["failed"]
    assert failure["source"] == f"{site}/gone"
    assert khub_json("query", "herons")["citations"][0]["url"] == f"{site}/herons?v=1"
    assert "s3cret" not in khub("ingest", f"{secret}/herons").stderr
    for file in (tmp_path / "home").rglob("*"):
        assert not (file.is_file() and b"s3cret" in file.read_bytes()), file
