"""Bodies and files that parsers choke on, sent to a service: each is refused or read, and nothing is fetched."""

import email.message
import http.server
import io
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from tests.components.converters.files import word_file
from tests.soak.service import ended, note, part, send, serving
from tests.soak.test_service_files import unzipped, zipped

pytestmark = pytest.mark.soak
ROUTES = ("/query/run", "/verify/run", "/v1/chat/completions", "/documents",
          "/feedback", "/v1/embeddings")  # fmt: skip
DEEP = 100_000
BODIES = {
    "deep": b'{"query": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "cut": b'{"query": "her',
    "no UTF-8": b'{"query": "\xff\xfe"}',
    "half a character": b'{"query": "\\ud800", "text": "\\ud800", "source": "\\ud800"}',
    "many filters": b'{"query": "a", "filters": ' + b'{"operator": "NOT", "conditions": [' * 3000 + b"]}" * 3000 + b"}",
    "too large a number": b'{"query": "herons", "top_k": 1e999}',
    "not a number": b'{"query": "herons", "top_k": NaN}',
    "a list": b"[]",
    "null": b"null",
    "empty": b"",
}  # fmt: skip
SECONDS_OF_A_FILE = 60


def test_no_body_is_a_failure_of_the_service(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.client() as client:
        kind = {"content-type": "application/json"}
        statuses = {
            (route, name): client.post(route, content=body, headers=kind).status_code
            for route in ROUTES
            for name, body in BODIES.items()
        }
        assert client.get("/healthz").status_code == 200
    assert {where: status for where, status in statuses.items() if not 400 <= status < 500} == {}
    note(f"{len(BODIES)} bad bodies to {len(ROUTES)} routes", f"{len(statuses)} answers, all 4xx", "no 5xx")


@pytest.fixture
def fetched() -> Iterator[list[str]]:
    """Listen on a port that a hostile file names, `{port}`; return its number first, then whatever was asked for."""
    seen: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_error(404)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        seen.append(str(server.server_address[1]))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield seen
        server.shutdown()


def test_hostile_files_end_and_fetch_nothing(tmp_path: Path, fetched: list[str]) -> None:
    files = hostile(int(fetched[0]))
    good = part("good.md") + b"# Herons\n\nHerons wade in shallow water.\n"
    with serving(tmp_path) as service, service.client() as client:
        job = ended(client, send(client, *(part(name) + data for name, data in files.items()), good), 600)
        answer = client.post("/query/run", json={"query": "Where do herons wade?"}).json()
        log = (service.folder / "service.log").read_text(encoding="utf-8", errors="replace")
    assert job["state"] == "finished"
    assert job["result"]["seconds"] < SECONDS_OF_A_FILE * len(files)
    assert "shallow" in answer["citations"][0]["text"]
    assert all(one["error"] and one["remedy"] for one in job["result"]["failures"])
    assert "Traceback" not in log
    assert fetched[1:] == []
    refused = {Path(one["source"]).name for one in job["result"]["failures"]} & set(files)
    counts = f"{len(files) - len(refused)} read, {len(refused)} refused with a reason"
    figures = f"{counts}, in {job['result']['seconds']:.0f} s; none fetched"
    note(f"{len(files)} files that parsers choke on", figures, "all end; nothing fetched")


def hostile(port: int) -> dict[str, bytes]:
    """Return files by their names; some name an address of this machine, at which somebody listens."""
    address = f"http://127.0.0.1:{port}/leak"
    entity = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{address}"><!ENTITY f SYSTEM "file:///etc/hostname">]>'.encode()
    word = unzipped(io.BytesIO(word_file("Herons wade.")))
    body = word["word/document.xml"].replace(b"<w:document", entity + b"<w:document", 1)
    page = f'<img src="{address}"><link rel="stylesheet" href="{address}"><iframe src="{address}"></iframe>'
    return {
        "entities.docx": zipped({**word, "word/document.xml": body.replace(b"Herons", b"&a;&f;Herons")}),
        "laughs.docx": zipped({**word, "word/document.xml": laughs() + b"<a>&l9;</a>"}),
        "laughs.html": laughs() + b"<p>&l9;</p>",
        "mails.eml": nested_mails(60),
        "corner.xlsx": corner(),
        "divisions.html": b"<div>" * 50_000 + b"herons" + b"</div>" * 50_000,
        "fetches.html": f"<html><body><h1>Fetch</h1>{page}</body></html>".encode(),
        "fetches.md": f"# Fetch\n\n![x]({address})\n\n{page}\n".encode(),
        "one-word.txt": b"x" * 1_000_000,
        "one-han-word.txt": "鹭".encode() * 300_000,
        "brackets.md": b"[" * 200_000,
        "quotes.md": b"> " * 50_000 + b"herons",
        "lists.md": b"".join(b"  " * depth + b"- x\n" for depth in range(1000)),
        "columns.csv": b",".join(b"a" for _ in range(200_000)) + b"\n",
        "deep.json": b"[" * DEEP + b"]" * DEEP,
        "keys.yaml": b"a: &a [x, x]\n" + b"".join(b"b%d: [*a, *a]\n" % number for number in range(2000)),
    }


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{entities}]>'.encode()


def nested_mails(depth: int) -> bytes:
    mail = email.message.EmailMessage()
    mail["Subject"] = "the innermost"
    mail.set_content("Herons wade.")
    for number in range(depth):
        outer = email.message.EmailMessage()
        outer["Subject"] = f"mail {number}"
        outer.set_content("see what is attached")
        outer.add_attachment(mail)
        mail = outer
    return bytes(mail)


def corner() -> bytes:
    book, packed = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"], book.active["XFD1048576"] = "herons", "wade"
    book.save(packed)
    return packed.getvalue()


def test_a_right_token_goes_on_where_another_is_guessed(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.client() as client, service.client("guess") as guesser:
        statuses = [
            guesser.get("/collections", headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(90)
        ]
        assert client.get("/collections").status_code == 200
        refused = socket.create_connection(("127.0.0.1", service.port), timeout=10)
        refused.sendall(b"GET /collections?token=writing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b" 401 " in refused.recv(200) or b" 429 " in refused.recv(200)
        refused.close()
    assert set(statuses) == {401, 429}
    assert statuses == sorted(statuses)
    note("90 guesses of a token", f"{statuses.count(401)} x 401, then 429; the right one goes on", "429 in the end")
