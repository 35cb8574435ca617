"""The service starts, and stops when it is told to."""

import contextlib
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
import psutil
import pytest
import uvicorn

from khub.components.errors import KhubError
from khub.server.http.service import LEAVING_S, STARTING_S, serve, service_config
from khub.server.http.service_options import ServiceOptions
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
    service = uvicorn.Server(service_config(ServiceOptions(), 0))
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


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.integration
def test_requests_that_come_slowly_keep_nobody_from_being_answered(hub, monkeypatch):
    monkeypatch.setattr("khub.server.http.concurrency_limit.AT_ONCE", 2)
    service = uvicorn.Server(service_config(ServiceOptions(), 0))
    thread = threading.Thread(target=service.run)
    thread.start()
    until(lambda: service.started)
    port = service.servers[0].sockets[0].getsockname()[1]
    head = f"POST /query/run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1000\r\n\r\n{{".encode()
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
    try:
        for one in slow:
            one.sendall(head)
        until(lambda: len(service.server_state.tasks) == 5)
        assert httpx.post(f"http://127.0.0.1:{port}/query/run", json=HERONS, timeout=30).status_code == 200
    finally:
        for one in slow:
            one.close()
        service.should_exit = True
        thread.join(30)


@contextlib.contextmanager
def served(folder, *options):
    """Run `khub serve`; give its process and a client once it is ready."""
    port = free_port()
    command = [sys.executable, "-m", "khub.server.cli", "serve", "--port", str(port), *options]
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "server")))
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            until(lambda: not refused(port), 60)
            until(lambda: client.get("/readyz").status_code == 200, 60)
            yield process, client
    finally:
        for child in psutil.Process(process.pid).children() if process.poll() is None else ():
            child.kill()
        process.kill()
        process.wait()


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
def test_the_command_serves_until_sigterm(hub, tmp_path):
    with served(tmp_path) as (process, client):
        assert client.post("/query/run", json=HERONS).status_code == 200
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in told


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_workers_serve_are_replaced_and_end_with_their_service(hub, tmp_path):
    with served(tmp_path, "--workers", "2") as (process, client):
        port = client.base_url.port

        def workers():
            children = psutil.Process(process.pid).children()
            alive = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
            return [child for child in alive if "spawn_main" in " ".join(child.cmdline())]

        until(lambda: len(workers()) == 2, 60)
        assert client.post("/query/run", json=HERONS).status_code == 200
        greeted = client.post("/mcp", json=GREETING, headers=MCP)
        assert greeted.status_code == 200
        assert "mcp-session-id" not in greeted.headers  # any worker may get the next request
        killed = workers()[0]
        killed.suspend()
        time.sleep(1.5)  # it is asked twice a second whether it lives: it dies while an answer is waited for
        killed.kill()
        until(lambda: len(workers()) == 2 and killed.pid not in [worker.pid for worker in workers()], STARTING_S - 5)

        def is_answered():
            with contextlib.suppress(httpx.TransportError):  # a busy machine may have the other one replaced, too
                return client.post("/query/run", json=HERONS).status_code == 200

        until(is_answered, STARTING_S - 5)
        left = workers()
        process.kill()
        psutil.wait_procs(left, timeout=30)
        assert not any(worker.is_running() for worker in left)
        assert refused(port)


@pytest.mark.integration
def test_what_counts_in_one_process_is_refused_with_more():
    with pytest.raises(KhubError, match="--rate"):
        serve(ServiceOptions(workers=2, rate="1/second"), 0)


@pytest.mark.integration
def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(KhubError, match="cannot be listened on"):
            serve(ServiceOptions(), taken.getsockname()[1])


@pytest.mark.integration
def test_a_start_with_a_broken_graph_says_so(hub, serving):
    (hub / "query.yaml").write_text("components: {", encoding="utf-8")
    with serving() as client:
        until(lambda: "cannot be used" in client.get("/readyz").json()["detail"])
        assert client.get("/graphs/query").json()["problem"]
