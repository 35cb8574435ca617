"""The pages are shown to who has a token in a cookie, on the web socket too, and to nobody else."""

import contextlib
import json
import re

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from khub.components.errors import KhubError
from khub.server.cli import tokens
from khub.server.commands.dashboard import pages as installed_pages
from khub.server.http.audit_log import audit_path
from khub.server.http.rate_limit import REFUSED
from khub.server.http.service import serve
from khub.server.http.service_options import ServiceOptions
from khub.server.http.visitors import COOKIE, cookie_value
from khub.server.named_tokens import create_token, revoke_token, tokens_path
from tests.server.http.conftest import bearer

pytestmark = pytest.mark.integration
HTML = {"Accept": "text/html"}
BASE = "http://127.0.0.1:8080"
SOCKET = "ws://127.0.0.1:8080/dashboard/ws"


class Pages(Starlette):
    """Tells who looks at it, as the pages ask themselves."""

    def __init__(self, visitors):
        self.visitors = visitors
        self.opened = []
        super().__init__(
            routes=[
                Route("/{path:path}", self.page, methods=["GET", "PUT", "DELETE"]),
                WebSocketRoute("/{path:path}", self.socket),
            ]
        )

    def page(self, request):
        if request.path_params["path"].startswith("media/"):
            return HTMLResponse("<p>a report</p>", headers={"Content-Disposition": "attachment"})
        access, who = self.visitors.of(request.headers, request.cookies)
        return HTMLResponse(f"<html><head></head><body>{access.name} {who.name.partition('.')[0]}</body></html>")

    async def socket(self, socket):
        await socket.accept()
        await socket.send_text("in")
        with contextlib.suppress(WebSocketDisconnect):
            while (said := await socket.receive_text()) != "bye":
                await socket.send_text(said)
        await socket.close()

    @contextlib.asynccontextmanager
    async def _open(self, app):
        self.opened.append("open")
        yield
        self.opened.append("closed")

    def lifespan(self):
        return self._open


@pytest.fixture
def shown(serving):
    """Return a context that gives a client of a service with pages."""

    def show(read=None, write=None, **options):
        return serving(read, write, dashboard=Pages, **options)

    return show


def signed_in(client, token):
    return client.post("/dashboard/login", data={"token": token}, follow_redirects=False)


def cookie_of(reply):
    return reply.headers["set-cookie"].lower()


def test_who_has_no_token_is_asked_for_one(hub, shown):
    with shown("r") as client:
        moved = client.get("/dashboard/documents", headers=HTML, follow_redirects=False)
        assert (moved.status_code, moved.headers["location"]) == (303, "/dashboard/login")
        assert client.get("/dashboard/static/x.js").status_code == 401
        assert 'name="token"' in client.get("/dashboard/login").text
        assert "令牌" in client.get("/dashboard/login", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).text
        with pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)), client.websocket_connect(SOCKET):
            pass


def test_a_token_opens_the_pages_by_a_cookie_that_no_script_reads(hub, shown):
    with shown("r", "w") as client:
        for wrong in ("x", ""):
            refused = signed_in(client, wrong)
            assert refused.status_code == 401
            assert "set-cookie" not in refused.headers
        reply = signed_in(client, "r")
        assert (reply.status_code, reply.headers["location"]) == (303, "/dashboard/")
        for part in ("httponly", "samesite=strict", "path=/dashboard"):
            assert part in cookie_of(reply)
        assert "r=" not in reply.headers["location"]
        assert "READ KHUB_TOKEN" in client.get("/dashboard/", headers=HTML).text
        with client.websocket_connect(SOCKET) as socket:
            assert socket.receive_text() == "in"
        assert signed_in(client, "w").status_code == 303
        assert "WRITE KHUB_WRITE_TOKEN" in client.get("/dashboard/").text
        client.get("/dashboard/logout")
        assert client.get("/dashboard/", headers=HTML, follow_redirects=False).status_code == 303


def test_who_signs_out_leaves_no_window_open(hub, shown):
    with shown("r", "w") as client:
        read, write = ({"Cookie": f"{COOKIE}={cookie_value(token)}"} for token in ("r", "w"))
        with (
            client.websocket_connect(SOCKET, headers=read) as left,
            client.websocket_connect(SOCKET, headers=write) as other,
        ):
            assert (left.receive_text(), other.receive_text()) == ("in", "in")
            client.get("/dashboard/logout", follow_redirects=False)  # without a cookie nobody goes
            client.get("/dashboard/logout", headers=read, follow_redirects=False)
            with pytest.raises(WebSocketDisconnect) as ended:
                left.receive_text()
            assert ended.value.code == 1008
            other.send_text("still there")
            assert other.receive_text() == "still there"


def test_who_signs_in_stands_in_the_audit_log_without_the_token(hub, shown):
    with shown("r-secret") as client:
        signed_in(client, "wrong-one")
        signed_in(client, "r-secret")
        with client.websocket_connect(SOCKET):
            pass
        client.cookies.clear()
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET):
            pass
    lines = [json.loads(line) for line in audit_path().read_text(encoding="utf-8").splitlines()]
    assert [(line["who"], line["status"]) for line in lines] == [
        ("", 401), ("KHUB_TOKEN", 303), ("KHUB_TOKEN", 101), ("", 403),
    ]  # fmt: skip
    assert "secret" not in audit_path().read_text(encoding="utf-8")


def test_a_cookie_opens_nothing_but_the_pages(hub, shown):
    with shown("r") as client:
        client.cookies.set(COOKIE, cookie_value("r"))
        assert client.get("/documents").status_code == 401
        assert client.get("/dashboard/").status_code == 200
        assert client.get("/documents", headers=bearer("r")).status_code == 200


def test_a_token_that_is_revoked_opens_no_more(hub, shown):
    text, _ = create_token("guest")
    with shown() as client:
        assert signed_in(client, text).status_code == 303
        assert "READ guest" in client.get("/dashboard/").text
        revoke_token("guest")
        assert client.get("/dashboard/").status_code == 401


def test_pages_come_from_known_places_with_headers_that_keep_others_out(hub, shown):
    with shown() as client:
        assert client.get("/dashboard/", headers={"Host": "elsewhere.example"}).status_code == 421
        assert client.get("/dashboard/", headers={"Origin": "http://elsewhere.example"}).status_code == 403
        for socket in ({"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}):
            with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET, headers=socket):
                pass
        page = client.get("/dashboard/documents")
        assert "BACKEND_BASE_URL" in page.text
        assert len(page.content) == int(page.headers["content-length"])
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("needed", [None, "r"])
def test_only_the_owner_writes_where_nobody_has_a_token(hub, shown, needed):
    with shown(needed, owner="printed") as client:
        before = client.get("/dashboard/")
        assert before.status_code == 401 if needed else "READ" in before.text
        for wrong in ("", "other"):
            client.get("/dashboard/login", params={"token": wrong})
            assert "WRITE" not in client.get("/dashboard/").text
        moved = client.get("/dashboard/login", params={"token": "printed"}, follow_redirects=False)
        assert moved.headers["location"] == "/dashboard/"
        assert "httponly" in cookie_of(moved)
        assert "WRITE" in client.get("/dashboard/").text
        assert client.get("/", follow_redirects=False).headers["location"] == "/dashboard/"
        assert client.delete("/collections/demo", headers=bearer("printed")).status_code in {401, 403}


def test_a_token_with_a_name_signs_in_by_the_form_alone(hub, shown):
    token, _ = create_token("alice")
    with shown("r", "w", owner="printed") as client:
        for given in (token, "r", "w"):  # an address would stand in histories and in the logs of proxies
            reply = client.get("/dashboard/login", params={"token": given}, follow_redirects=False)
            assert "set-cookie" not in reply.headers
            assert 'method="post"' in reply.text
            assert "set-cookie" in signed_in(client, given).headers
        assert "set-cookie" in client.get("/dashboard/login?token=printed", follow_redirects=False).headers


def test_a_token_that_opens_nothing_takes_no_place_of_one_that_does(hub, shown):
    """Any site can lead a browser to an address, and its answer may set a cookie."""
    with shown(None, "w", owner="printed") as client:
        assert signed_in(client, "w").status_code == 303
        for reply in (
            client.get("/dashboard/login", params={"token": "x"}, follow_redirects=False),
            signed_in(client, "x"),
        ):
            assert reply.status_code == 401
            assert "set-cookie" not in reply.headers
        assert "WRITE" in client.get("/dashboard/").text


@pytest.mark.parametrize(("site", "stays"), [("cross-site", True), ("same-origin", False), ("none", False)])
def test_no_other_site_signs_anybody_out(hub, shown, site, stays):
    with shown("r") as client:
        signed_in(client, "r")
        reply = client.get("/dashboard/logout", headers={"Sec-Fetch-Site": site}, follow_redirects=False)
        assert reply.status_code == (403 if stays else 303)
        assert ("set-cookie" in reply.headers) is not stays
        assert client.get("/dashboard/").status_code == (200 if stays else 401)


def test_who_signs_in_while_the_tokens_cannot_be_read_is_told_so(hub, shown):
    create_token("alice")
    with shown("r") as client:
        tokens_path().write_text("[", encoding="utf-8")
        for reply in (signed_in(client, "x"), client.get("/dashboard/login?token=x")):
            assert reply.status_code == 503
            assert reply.json()["code"]
            assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("root", ["", "/hub"])
def test_a_slash_at_the_end_leads_to_the_page_and_not_to_the_service(hub, shown, root):
    with shown(root_path=root) as client:
        reply = client.get(f"{root}/dashboard/documents/?doc=1&q=%20a", follow_redirects=False)
        assert (reply.status_code, reply.headers["location"]) == (303, f"{root}/dashboard/documents?doc=1&q=%20a")
        assert client.get(f"{root}/dashboard/", follow_redirects=False).status_code == 200


def test_who_needs_a_token_is_told_a_command_that_there_is(hub, shown):
    known = {f"khub token {command.name}" for command in tokens.registered_commands}
    with shown("r") as client:
        said = client.get("/dashboard/login").text
    with shown("r", proxy="10.0.0.9", user_header="X-User") as client:
        said += client.get("/dashboard/").text
    named = re.findall(r"khub token \w+", said)
    assert len(named) == 2
    assert set(named) <= known


def test_tokens_are_not_guessed(hub, shown):
    with shown("r") as client:
        codes = [signed_in(client, f"{number}").status_code for number in range(REFUSED.amount + 1)]
    assert (set(codes[:-1]), codes[-1]) == ({401}, 429)


def test_tokens_are_not_guessed_by_cookies_either(hub, shown):
    with shown("r") as client:
        for number in range(REFUSED.amount):
            reply = client.get("/dashboard/", headers={"Cookie": f"{COOKIE}={cookie_value(str(number))}"})
            assert reply.status_code == 401
            assert "max-age=0" in cookie_of(reply)  # a browser does not come with it again
        right = {"Cookie": f"{COOKIE}={cookie_value('r')}"}
        assert client.get("/dashboard/", headers=right).status_code == 429  # or a guess too many would tell
        assert client.get("/dashboard/").status_code == 401


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_may_only_read_sends_no_files(hub, shown, method):
    file = "/dashboard/_stcore/upload_file/visit/file"
    with shown("r", "w") as client:
        for token, seen in (("r", 403), ("w", 200)):
            headers = {"Cookie": f"{COOKIE}={cookie_value(token)}"}
            assert client.request(method, file, headers=headers).status_code == seen
    with shown(owner="printed") as client:
        headers = {"Cookie": f"{COOKIE}={cookie_value('printed')}"}
        assert client.request(method, file, headers=headers).status_code == 200


def test_only_pages_are_told_where_their_server_is(hub, shown):
    with shown() as client:
        assert client.get("/dashboard/media/report").text == "<p>a report</p>"
        assert client.head("/dashboard/").status_code == 200


@pytest.mark.parametrize(("proxy", "seen"), [("10.0.0.9", 403), ("0.0.0.0/0", 200)])
def test_a_users_name_is_believed_of_the_proxy_alone(hub, shown, proxy, seen):
    create_token("ann", write=True)
    with shown("r", proxy=proxy, user_header="X-User") as served:
        client = type(served)(served.app, base_url=BASE, client=("127.0.0.1", 50000))
        assert client.get("/dashboard/", headers={"X-User": "bob"}).status_code == 403
        reply = client.get("/dashboard/", headers={"X-User": "ann"})
        assert reply.status_code == seen
        assert ("WRITE ann" in reply.text) == (seen == 200)
        both = [("X-User", "ann"), ("X-User", "bob")]  # of a proxy that adds a header, and leaves a client's own
        for given in (both, both[::-1]):
            assert client.get("/dashboard/", headers=given).status_code == 403
        client.cookies.set(COOKIE, cookie_value("r"))
        assert client.get("/dashboard/").status_code == 403  # beside the proxy no other way leads in


def test_pages_below_a_root_path_stay_there(hub, shown):
    with shown("r", root_path="/hub") as client:
        moved = client.get("/hub/dashboard/", headers=HTML, follow_redirects=False)
        assert moved.headers["location"] == "/hub/dashboard/login"
        reply = client.post("/hub/dashboard/login", data={"token": "r"}, follow_redirects=False)
        assert "path=/hub/dashboard" in cookie_of(reply)


def test_where_there_are_no_pages_there_is_no_route(client):
    assert client.get("/dashboard/").status_code == 404
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET):
        pass


def test_what_cannot_go_together_is_refused():
    with pytest.raises(KhubError, match="--proxy"):
        ServiceOptions(user_header="X-User")
    with pytest.raises(KhubError, match="--workers"):
        serve(ServiceOptions(workers=2, dashboard=Pages), 0)


def test_pages_that_are_not_installed_say_what_to_install(monkeypatch):
    assert callable(installed_pages())
    monkeypatch.setattr("khub.server.commands.dashboard.ENTRY_POINTS", "khub.nothing")
    with pytest.raises(KhubError, match=r"\[dashboard\]"):
        installed_pages()


def test_the_pages_live_as_long_as_the_service(hub, serving):
    made = []

    def pages(visitors):
        made.append(Pages(visitors))
        return made[0]

    with serving(dashboard=pages):
        assert made[0].opened == ["open"]
    assert made[0].opened == ["open", "closed"]
