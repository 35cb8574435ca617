"""The service behind nginx with the configuration that the pages show: what passes, and what does not."""

import json
import socket
import sys
import threading
import time

import pytest
from starlette.testclient import TestClient

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.server.http.app import build_service
from khub.server.http.audit_log import audit_path
from khub.server.http.service_options import ServiceOptions
from khub.server.library.uploads import uploads_of
from tests.eval.examples.chat_server import Pieces
from tests.server.http.conftest import bearer
from tests.server.http.nginx import NAME, proxied
from tests.server.http.test_graph_routes import HERONS, until
from tests.server.http.test_service import GREETING, MCP, served

E2E = pytest.mark.e2e
ELSEWHERE = "127.0.0.2"
HEADER_S = 10


@pytest.fixture
def programs(needs_program):
    if sys.platform != "linux":
        pytest.skip("the configuration is that of Debian's nginx")
    needs_program("nginx", "nginx-light")
    needs_program("openssl", "openssl")


@pytest.fixture
def proxy(programs, hub, tmp_path, monkeypatch):
    """A service that needs tokens, and nginx before it."""
    monkeypatch.setenv("KHUB_TOKEN", "r")
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    service = served(tmp_path, "--allow-host", NAME, "--proxy", "127.0.0.1")
    with service as (_, inside), proxied(tmp_path / "nginx", inside.base_url.port) as nginx:
        yield nginx


def audited():
    """The lines of the audit log, which comes after the answer."""
    until(audit_path().exists)
    return [json.loads(line) for line in audit_path().read_text(encoding="utf-8").splitlines()]


@E2E
def test_who_asks_is_known_and_no_other_host_is_answered(proxy):
    with proxy.client(ELSEWHERE, headers=bearer("r")) as client:
        lied = client.post(
            "/query/run", json=HERONS, headers={"X-Forwarded-For": "203.0.113.9"}, params={"q": "secret"}
        )
        assert lied.json()["citations"][0]["title"] == "Birds"
        assert audited()[-1] | {"time": ""} == {
            "time": "", "who": "KHUB_TOKEN", "from": ELSEWHERE, "method": "POST", "path": "/query/run", "status": 200,
        }  # fmt: skip
        until(lambda: f"{ELSEWHERE} " in proxy.log())
        assert "secret" not in proxy.log()
        assert client.get("/graphs", headers={"Host": "elsewhere.example.com"}).status_code == 421
        assert client.get("/graphs", headers={"Origin": f"https://{NAME}:{proxy.port}"}).status_code == 200
        assert client.get("/graphs", headers={"Origin": "https://elsewhere.example.com"}).status_code == 403
        assert client.get("/graphs", headers=bearer("x")).status_code == 401


@E2E
def test_a_chat_comes_in_pieces(programs, model, request):
    model.turns = [Pieces(["Herons wade [1].", " Slowly."], held=(rest := threading.Event()))]
    body = {"model": "khub", "stream": True, "messages": [{"role": "user", "content": "How do herons wade?"}]}
    proxy = request.getfixturevalue("proxy")
    with proxy.client(headers=bearer("r")) as client, client.stream("POST", "/v1/chat/completions", json=body) as reply:
        lines, came = reply.iter_lines(), ""
        for line in lines:
            came += line
            if "wade" in came:
                break  # and the model has not gone on yet
        assert "Slowly" not in came
        rest.set()
        came += "".join(lines)
    assert "Slowly" in came
    assert came.endswith("[DONE]")


@E2E
def test_files_go_straight_on(proxy):
    page = b"<html><body><p>Owls hunt mice.</p><!--" + b"x" * 6_000_000 + b"--></body></html>"
    form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="owls.html"\r\n\r\n', b"\r\n--x--\r\n"

    def part_of_it_is_there():
        return any(path.stat().st_size for path in (hub_home() / "incoming").rglob("*") if path.is_file())

    def sending():
        yield form[0] + page[:3_000_000]
        until(part_of_it_is_there)
        yield page[3_000_000:] + form[1]

    headers = {**bearer("w"), "Content-Type": "multipart/form-data; boundary=x"}
    with proxy.client(headers=headers) as client:
        reply = client.post("/documents", content=sending())
        assert reply.status_code == 202, reply.text
        with client.stream("GET", reply.headers["location"] + "/events") as events:
            told = "".join(events.iter_lines())
        assert '"state":"finished"' in told.replace(" ", "")
        assert (uploads_of("default") / "owls.html").read_bytes() == page
        assert client.post("/query/run", content=page, headers={"Content-Type": "application/json"}).status_code == 413


@E2E
def test_assistants_come_through(proxy):
    with proxy.client(headers={**MCP, **bearer("r")}) as client:
        greeted = client.post("/mcp", json=GREETING)
        assert "serverInfo" in greeted.text
        client.headers.update(
            {"Mcp-Session-Id": greeted.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        )
        assert client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
        listed = client.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert '"name":"query' in listed.text.replace(" ", "")
        with client.stream("GET", "/mcp") as stands:
            assert stands.headers["content-type"].startswith("text/event-stream")


@E2E
def test_a_slow_header_and_plain_http_never_reach_the_hub(programs, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as hub, proxied(tmp_path / "nginx", hub.getsockname()[1]) as nginx:
        hub.setblocking(False)
        with socket.create_connection(("127.0.0.1", nginx.plain), timeout=20) as plain:
            plain.sendall(f"GET /graphs?x=1 HTTP/1.0\r\nHost: {NAME}\r\n\r\n".encode())
            assert f"\r\nLocation: https://{NAME}/graphs?x=1\r\n" in plain.recv(65536).decode()
        began = time.monotonic()
        connection = socket.create_connection(("127.0.0.1", nginx.port), timeout=20)
        with nginx.trusting().wrap_socket(connection, server_hostname=NAME) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: {NAME}\r\nX-Slow: ".encode())
            assert ended(client, began + 2 * HEADER_S)
        until(lambda: " 408 " in nginx.log())
        with pytest.raises(BlockingIOError):
            hub.accept()


def ended(client, patience):
    """Go on with a header byte by byte; say whether the other side ends it before one's patience does."""
    client.settimeout(0.3)
    while time.monotonic() < patience:
        try:
            client.sendall(b"x")
            if not client.recv(1000):
                return True
        except TimeoutError:
            pass
        except OSError:
            return True
    return False


@pytest.mark.integration
@pytest.mark.parametrize(
    ("proxy", "told"),
    [(None, "10.0.0.7"), ("10.0.0.7", "203.0.113.9"), ("10.0.0.0/24", "203.0.113.9"), ("10.0.0.8", "10.0.0.7")],
)
def test_a_proxy_alone_is_believed_who_its_client_is(hub, proxy, told):
    service = build_service(ServiceOptions(proxy=proxy))
    with TestClient(service, base_url="http://127.0.0.1", client=("10.0.0.7", 5000)) as client:
        assert client.get("/graphs", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 200
    assert audited()[-1]["from"] == told


@pytest.mark.unit
@pytest.mark.parametrize("proxy", ["nginx", "", "127.0.0.1:80", "10.0.0.7/24"])
def test_what_is_no_address_of_a_proxy_is_refused(proxy):
    with pytest.raises(KhubError, match="no address of a proxy"):
        ServiceOptions(proxy=proxy)


@E2E
def test_the_pages_come_through_with_their_web_socket(programs, hub, tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_TOKEN", "r")
    service = served(tmp_path, "--allow-host", NAME, "--proxy", "127.0.0.1", "--dashboard")
    with service as (_, inside), proxied(tmp_path / "nginx", inside.base_url.port) as nginx, nginx.client() as client:
        signed_in = client.post("/dashboard/login", data={"token": "r"}, follow_redirects=False)
        cookie = signed_in.headers["set-cookie"]
        assert "secure" in cookie.lower()
        upgrade = {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==", "Origin": f"https://{NAME}:{nginx.port}",
        }  # fmt: skip
        for sent, status in (({"Cookie": cookie.partition(";")[0]}, 101), ({}, 403)):
            client.cookies.clear()
            with client.stream("GET", "/dashboard/_stcore/stream", headers={**upgrade, **sent}) as reply:
                assert reply.status_code == status
