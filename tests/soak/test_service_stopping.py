"""SIGTERM while many ask, some follow a job, and some hold streams open."""

import json
import signal
import sys
import time
from pathlib import Path

import httpx
import pytest

from khub.server.http.audit_log import audit_path
from khub.server.http.service import LEAVING_S
from tests.soak.service import FORM, Service, asking, fill, incoming, note, part, send, serving, until

pytestmark = [pytest.mark.soak, pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")]
CLIENTS = 20


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_asked_is_answered_and_the_service_ends(tmp_path: Path, workers: int) -> None:
    question = fill(tmp_path)
    with serving(tmp_path, "--workers", str(workers)) as service, service.client() as client:
        notes = [part(f"{n}.md") + b"# Note\n\n" + b"Words stand here. " * 3000 for n in range(300)]
        job = send(client, *notes).headers["location"]
        streams = [service.connect(service.head("GET", f"{job}/events")) for _ in range(5)]
        if workers == 1:  # several workers give MCP no sessions
            streams.append(service.connect(mcp_stream(service, client)))
        assert all(stream.recv(12) == b"HTTP/1.1 200" for stream in streams)
        with asking(service, CLIENTS, question, until_refused=True) as asked:
            until(lambda: len(asked) > 2 * CLIENTS)
            before, began = len(asked), time.monotonic()
            service.process.send_signal(signal.SIGTERM)
            until(service.refuses, 5)
            refused_s = time.monotonic() - began
            service.process.wait(LEAVING_S + 10)
            seconds = time.monotonic() - began
        after = [one.status for one in asked[before:] if one.status]
        for stream in streams:
            while stream.recv(65536):
                pass
        log = (tmp_path / "service.log").read_text()
    lines = [json.loads(line) for line in audit_path().read_text().splitlines()]
    answered = [line["status"] for line in lines if line["path"] == "/query/run"]
    assert {one.status for one in asked} <= {200, 0}
    assert answered == [200] * sum(one.status == 200 for one in asked)  # none was taken and lost
    assert after
    assert service.process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in log
    assert seconds < LEAVING_S
    ends = f"no more taken after {refused_s:.2f} s, ended after {seconds:.1f} s with {service.process.returncode}"
    figures = f"{len(after)} in flight answered with 200; {ends}"
    note(f"SIGTERM under 20 clients, workers: {workers}", figures, "all; 20 s")


def mcp_stream(service: Service, client: httpx.Client) -> bytes:
    """Begin a session; return the request whose answer stands as long as its client."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    types = {"Accept": "application/json, text/event-stream"}
    session = client.post("/mcp", json=greeting, headers=types).headers["mcp-session-id"]
    lines = f"Mcp-Session-Id: {session}", "MCP-Protocol-Version: 2025-11-25", "Accept: text/event-stream"
    return service.head("GET", "/mcp", *lines)


def test_an_upload_that_stands_still_keeps_no_service_from_ending(tmp_path: Path) -> None:
    head = f"Content-Type: {FORM}", "Content-Length: 100000"
    with serving(tmp_path) as service, service.connect(service.head("POST", "/documents", *head)) as connection:
        connection.sendall(part("slow.md") + b"# Slow")
        until(lambda: len(incoming()) == 1)
        began = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(LEAVING_S + 10)
        seconds = time.monotonic() - began
    assert not incoming()
    note("SIGTERM during an upload that stands still", f"ended after {seconds:.0f} s, nothing left", "20 s + a few")
