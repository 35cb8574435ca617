"""Who sees the pages: a visitor without a token in its cookie is asked for one, on the web socket too."""

import asyncio
import html
from dataclasses import dataclass
from urllib.parse import parse_qs

from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.access import Caller
from khub.components.errors import KhubError
from khub.server.http.audit_log import Audit
from khub.server.http.authentication import address
from khub.server.http.changed_body import Change, changed
from khub.server.http.problems import problem, problem_of
from khub.server.http.rate_limit import Rates, too_often
from khub.server.http.tokens import Access
from khub.server.http.visitors import COOKIE, NAME_HEADER, Visitors, cookie_value

PATH = "/dashboard"
MOST_LOGIN_BYTES = 10_000
FIELD = "token"
LOGIN, LOGOUT = f"{PATH}/login", f"{PATH}/logout"
UPLOADS = f"{PATH}/_stcore/upload_file/"
"""Streamlit keeps files below it for any visit."""
KEPT_BACK = {b"accept-encoding", b"origin", NAME_HEADER.encode()}
"""Of what it sends Streamlit may compress nothing that is changed here; and it would compare the origin, which is
checked here, with a `Host` that a proxy may have left without its port. The visitor's name is set here alone."""
WHERE = b'<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href}</script>'
"""Without it a page that is loaded by its own address looks for its server below that address first, and fails."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all a form is sent with the origin "null"
    # The pages are Streamlit's, which compiles drawings (Vega, Mermaid) in the browser; from elsewhere nothing comes.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; "
        "frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
}


@dataclass
class DashboardSignIn:
    """Shows the pages: to visitors from a known host and origin, with a token in a cookie that no script can read.

    :param app: answers for all other paths.
    :param pages: Streamlit's application; paths below `PATH` are its own.
    :param visitors: who may see what.
    :param security: knows the hosts and origins that are answered.
    :param rates: how often a token may be guessed.
    :param root_path: what a proxy puts before all paths.
    """

    app: ASGIApp
    pages: ASGIApp
    visitors: Visitors
    security: TransportSecurityMiddleware
    rates: Rates
    root_path: str

    def __post_init__(self) -> None:
        self._audit = Audit()
        self._sockets: dict[asyncio.Task[None], str] = {}
        """Those that are open, with the cookie that each keeps since it began."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer who may not see the pages; hand the others on."""
        answer = self._answer if scope["path"] in {"/", PATH} or scope["path"].startswith(f"{PATH}/") else self.app
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused, who = await self._refusal(scope, receive)
        if scope["type"] == "websocket":
            self._audit.note(who.name, {**scope, "method": "WEBSOCKET"}, 101 if refused is None else 403)
            if refused is not None:
                await send({"type": "websocket.close", "code": 1008})
                return
        if refused is not None:
            if scope["path"] in {LOGIN, LOGOUT}:
                self._audit.note(who.name, scope, refused.status_code)
            await refused(scope, receive, _with_headers(send))
            return
        inside = {**scope, "path": scope["path"].removeprefix(PATH) or "/", "root_path": self.root_path + PATH}
        inside["raw_path"] = inside["path"].encode()
        inside["headers"] = [pair for pair in scope["headers"] if pair[0] not in KEPT_BACK]
        inside["headers"].append((NAME_HEADER.encode(), who.name.encode()))
        if scope["type"] == "websocket":
            await self._keep(inside, receive, send)
        else:
            await self.pages(inside, receive, _with_headers(send, may_be_page=scope["method"] == "GET"))

    async def _keep(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the pages have a web socket, until somebody signs out with its cookie in another window."""
        served = asyncio.ensure_future(self.pages(scope, receive, send))
        self._sockets[served] = HTTPConnection(scope).cookies.get(COOKIE, "")
        try:
            await asyncio.wait([served])
        finally:
            del self._sockets[served]
            served.cancel()
        if served.cancelled():
            await send({"type": "websocket.close", "code": 1008})
        else:
            served.result()

    async def _refusal(self, scope: Scope, receive: Receive) -> tuple[Response | None, Caller]:
        """Return the answer to who may not come in, or wants no page; and for whom the hub works."""
        method = scope.get("method", "GET")
        asked = Request({**scope, "type": "http", "method": method}, receive)
        if refused := await self.security.validate_request(asked):
            return problem(refused.status_code, "the pages are not known by this Host, or not to this Origin"), Caller()
        path = scope["path"]
        if path == LOGIN and scope["type"] == "http" and self.visitors.user_header is None:
            signs_in = method == "POST" or FIELD in asked.query_params
            return await self._signed_in(asked) if signs_in else (self._login_page(asked), Caller())
        if path == LOGOUT:
            return self._signed_out(asked), Caller()
        if path in {"/", PATH}:  # where the cookie is not sent to
            return self._moved("/"), Caller()
        return await self._refusal_of_visitor(asked, path)

    async def _refusal_of_visitor(self, asked: Request, path: str) -> tuple[Response | None, Caller]:
        if COOKIE in asked.cookies and self.rates.guesses_are_spent(address(asked.scope)):
            return too_often(1), Caller()
        try:
            access, who = await asyncio.to_thread(self.visitors.of, asked.headers, asked.cookies)
        except KhubError as error:
            return problem_of(error), Caller()
        if access is Access.NOTHING:
            return self._not_in(asked), who
        if access < Access.WRITE and path.startswith(UPLOADS):  # each would stand in memory
            return problem(403, "this token may not write"), who
        return None, who

    def _not_in(self, asked: Request) -> Response:
        if self.visitors.user_header is not None:
            return problem(403, "the proxy names no user who has a token", remedy="make one: khub token create NAME")
        is_page = asked.method == "GET" and "text/html" in asked.headers.get("accept", "")
        reply = self._moved("/login") if is_page else problem(401, "sign in first")
        if COOKIE in asked.cookies:
            self.rates.guesses_wait_s(address(asked.scope))
            self._forget_token(asked, reply)
        return reply

    async def _signed_in(self, asked: Request) -> tuple[Response, Caller]:
        """Return the answer to a token that was typed or printed, a cookie or the form again, and whose it is."""
        if wait_s := self.rates.guesses_wait_s(address(asked.scope)):
            return too_often(wait_s), Caller()
        given = asked.query_params.get(FIELD, "")
        if asked.method == "POST":
            size = asked.headers.get("content-length", "")
            if not size.isdecimal() or int(size) > MOST_LOGIN_BYTES:
                return problem(413, f"the form is larger than {MOST_LOGIN_BYTES} bytes"), Caller()
            given = parse_qs((await asked.body()).decode(errors="replace")).get(FIELD, [""])[0].strip()
        value = cookie_value(given)
        access, who = await asyncio.to_thread(self.visitors.of, {}, {COOKIE: value})
        if asked.method != "POST" and who.name:  # an address stands in histories, and in the logs of proxies
            return self._login_page(asked), Caller()
        if access is Access.NOTHING or not given:
            return self._login_page(asked, wrong=True), Caller()
        moved = self._moved("/")
        secure = asked.url.scheme == "https"
        moved.set_cookie(COOKIE, value, path=self.root_path + PATH, secure=secure, httponly=True, samesite="strict")
        return moved, who

    def _signed_out(self, asked: Request) -> Response:
        if cookie := asked.cookies.get(COOKIE):  # other browsers that have it come again by themselves
            for socket in [socket for socket, its in self._sockets.items() if its == cookie]:
                socket.cancel()
        moved = self._moved("/login")
        self._forget_token(asked, moved)
        return moved

    def _forget_token(self, asked: Request, reply: Response) -> None:
        secure = asked.url.scheme == "https"
        reply.delete_cookie(COOKIE, path=self.root_path + PATH, secure=secure, httponly=True, samesite="strict")

    def _moved(self, path: str) -> Response:
        return RedirectResponse(PATH + path, 303, {"Cache-Control": "no-store"})

    def _login_page(self, asked: Request, wrong: bool = False) -> Response:
        chinese = asked.headers.get("accept-language", "").lower().startswith("zh")
        return HTMLResponse(_form(chinese, wrong), 401 if wrong else 200, {"Cache-Control": "no-store"})


def _with_headers(send: Send, may_be_page: bool = False) -> Send:
    """Send an answer with the headers that all have; a page learns from it where its server is.

    :param may_be_page: whether a page may have been asked for, and not its head alone.
    """

    def begin(headers: MutableHeaders) -> Change | None:
        headers.update(HEADERS)
        is_page = may_be_page and "content-disposition" not in headers  # a file to keep stays as it is
        is_page = is_page and headers.get("content-type", "").startswith("text/html") and "content-length" in headers
        return _with_where if is_page else None

    return changed(send, begin)


def _with_where(page: bytes) -> bytes:
    head, tag, rest = page.partition(b"<head>")
    if not tag:
        raise RuntimeError("Streamlit's page has no <head>: see what its static/index.html looks like now")
    return head + tag + WHERE + rest


def _form(chinese: bool, wrong: bool) -> str:
    texts = {
        "title": ("Sign in", "登录"),
        "token": ("Token", "令牌"),
        "help": (
            "A token of khub token create, or KHUB_TOKEN / KHUB_WRITE_TOKEN.",
            "khub token create 生成的令牌，或 KHUB_TOKEN / KHUB_WRITE_TOKEN。",
        ),
        "wrong": ("This token is not known here, or its time is over.", "令牌无效，或已过期。"),
    }
    shown = {name: html.escape(pair[chinese]) for name, pair in texts.items()}
    said = f'<p role="alert">{shown["wrong"]}</p>' if wrong else ""
    return f"""<!doctype html>
<html lang="{"zh" if chinese else "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{shown["title"]} · Knowledge Hub</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, "Noto Sans CJK SC", sans-serif; }}
body {{ max-width: 24rem; margin: 20vh auto 0; padding: 0 1rem; line-height: 1.5; }}
input, button {{ font: inherit; width: 100%; padding: .6rem; margin: .4rem 0; box-sizing: border-box; }}
[role=alert] {{ font-weight: bold; }}
</style>
</head>
<body>
<main>
<h1>Knowledge Hub</h1>
{said}
<form method="post" action="login">
<label for="token">{shown["token"]}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p>{shown["help"]}</p>
<button>{shown["title"]}</button>
</form>
</main>
</body>
</html>
"""
