"""The service starts, and stops when it is told to."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import graph_parts
import httpx
import pytest

from server.http.app import ServiceOptions
from server.http.service import LEAVING_S, http_service
from tests.server.http.test_graph_routes import HERONS, finding_by, until

ROOT = Path(__file__).parents[3]
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
GREETING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}  # fmt: skip


def refused(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionError:
        return True
    return False


@pytest.mark.integration
def test_what_was_asked_is_answered_and_nothing_more_when_it_stops(hub, write_graph):
    write_graph("slow", finding_by("Block", "{}"))
    graph_parts.STARTED.clear()
    graph_parts.RELEASE.clear()
    service = http_service(ServiceOptions(), 0)
    thread = threading.Thread(target=service.run)
    thread.start()
    until(lambda: service.started)
    port = service.servers[0].sockets[0].getsockname()[1]
    replies = []
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until(lambda: client.get("/readyz").status_code == 200)
            session = client.post("/mcp", json=GREETING, headers=MCP).headers["mcp-session-id"]
            headers = {**MCP, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
            with client.stream("GET", "/mcp", headers=headers) as stands:  # as long as its client
                asking = threading.Thread(target=lambda: replies.append(client.post("/slow/run", json=HERONS)))
                asking.start()
                assert graph_parts.STARTED.wait(20)
                began = time.monotonic()
                service.should_exit = True  # what SIGTERM does
                until(lambda: refused(port))
                assert not replies
                assert list(stands.iter_lines()) is not None  # it ends
                graph_parts.RELEASE.set()
                asking.join(20)
    finally:
        graph_parts.RELEASE.set()
        service.should_exit = True
        thread.join(30)
    assert [reply.status_code for reply in replies] == [200]
    assert time.monotonic() - began < LEAVING_S


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
def test_the_command_serves_until_sigterm(hub, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "server.cli", "serve", "--port", str(port)]
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "server")))
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until(lambda: not refused(port), 60)
            until(lambda: client.get("/readyz").status_code == 200, 60)
            assert client.post("/query/run", json=HERONS).status_code == 200
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in told
