"""Who sees the pages: a visitor without a token in its cookie is asked for one, on the web socket too."""

import asyncio
import logging
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.access import Caller
from khub.components.errors import KhubError
from khub.server.access_right import Access
from khub.server.http.audit_log import Audit
from khub.server.http.authentication import address
from khub.server.http.changed_body import Change, changed
from khub.server.http.login_page import Said, login_page, signed_in_page
from khub.server.http.problems import problem, problem_of
from khub.server.http.rate_limit import Rates, too_often
from khub.server.http.visitors import COOKIE, NAME_HEADER, Visitors, cookie_value
from khub.server.people.asking import asking
from khub.server.people.issuer_requests import IssuerError
from khub.server.people.sign_in import LEAVE, RETURN, IssuerSignIn
from khub.server.people.verified_claims import RefusedTokenError

PATH = "/dashboard"
MOST_LOGIN_BYTES = 10_000
FIELD = "token"
LOGIN, LOGOUT = f"{PATH}/login", f"{PATH}/logout"
TO_ISSUER, FROM_ISSUER = PATH + LEAVE, PATH + RETURN
UPLOADS = f"{PATH}/_stcore/upload_file/"
"""Streamlit keeps files below it for any visit."""
logger = logging.getLogger(__name__)
KEPT_BACK = {b"accept-encoding", b"origin", NAME_HEADER.encode()}
"""Of what it sends Streamlit may compress nothing that is changed here; and it would compare the origin, which is
checked here, with a `Host` that a proxy may have left without its port. The visitor's name is set here alone."""
WHERE = b'<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href}</script>'
"""Without it a page that is loaded by its own address looks for its server below that address first, and fails."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all a form is sent with the origin "null"
    # The pages are Streamlit's, which compiles drawings (Vega, Mermaid) in the browser and loads the parts of our own
    # as blobs, which only a script of the page itself can make; from elsewhere nothing comes.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
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
        self._base = self.root_path + PATH
        people = self.visitors.tokens.people if self.visitors.user_header is None else None
        self._by_issuer = None if people is None else IssuerSignIn(people, self._base)
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
            if scope["path"] in {LOGIN, LOGOUT, FROM_ISSUER}:
                self._audit.note(who.name, scope, refused.status_code)
            await refused(scope, receive, _with_headers(send))
            return
        inside = {**scope, "path": scope["path"].removeprefix(PATH) or "/", "root_path": self._base}
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
        if path in {TO_ISSUER, FROM_ISSUER} and scope["type"] == "http" and self._by_issuer is not None:
            return await self._at_issuer(asked, self._by_issuer)
        if path == LOGOUT:
            return await self._signed_out(asked), Caller()
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
        if path.endswith("/") and path != f"{PATH}/" and asked.method == "GET":
            # Streamlit would lead to the same path without what stands before its own paths
            query = f"?{asked.url.query}" if asked.url.query else ""
            return self._moved(quote(path.removeprefix(PATH).rstrip("/")) + query), who
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
        try:
            access, who = await asyncio.to_thread(self.visitors.of, {}, {COOKIE: value})
        except KhubError as error:
            return problem_of(error), Caller()
        if asked.method != "POST" and who.name:  # an address stands in histories, and in the logs of proxies
            return self._login_page(asked), Caller()
        is_known = bool(who.name) or self.visitors.is_owner(given)  # any other may open pages that need none
        if access is Access.NOTHING or not is_known:  # its cookie would take the place of one that is worth something
            return self._login_page(asked, Said.WRONG, 401), Caller()
        moved = self._moved("/")
        self._keep_token(asked, moved, value)
        return moved, who

    async def _at_issuer(self, asked: Request, way: IssuerSignIn) -> tuple[Response, Caller]:
        """Return the answer that leads to the issuer, or lets in who comes back from it, and who that is."""
        if asked.method != "GET":
            return problem(405, "a browser comes here by GET", {"Allow": "GET"}), Caller()
        leaves = asked.scope["path"] == TO_ISSUER
        if wait_s := 0 if leaves else self.rates.guesses_wait_s(address(asked.scope)):
            return too_often(wait_s), Caller()
        try:
            if leaves:
                return await asking(way.leave, asked), Caller()
            reply, who = await asking(self._let_in, asked, way)
        except IssuerError as error:
            logger.warning("nobody can sign in: %s", error)
            reply, who = self._login_page(asked, Said.AWAY, 503), Caller()
        except RefusedTokenError as error:
            logger.warning("somebody could not sign in: %s", error)
            reply, who = self._login_page(asked, Said.NOT_SIGNED_IN, 401), Caller()
        except KhubError as error:
            return problem_of(error), Caller()
        way.forget(asked, reply)
        return reply, who

    def _let_in(self, asked: Request, way: IssuerSignIn) -> tuple[Response, Caller]:
        who, visit = way.people.begin_visit(way.claims(asked))
        if visit is None:
            return self._login_page(asked, Said.NO_GROUP, 403), who
        reply = HTMLResponse(signed_in_page(self._base, _is_chinese(asked)), 200, {"Cache-Control": "no-store"})
        self._keep_token(asked, reply, cookie_value(visit.text), visit.lasts_s)
        return reply, who

    async def _signed_out(self, asked: Request) -> Response:
        if asked.headers.get("sec-fetch-site") == "cross-site":  # a page from elsewhere leads here, and not the visitor
            return problem(403, "another site asked for this", remedy="sign out on the pages themselves")
        if cookie := asked.cookies.get(COOKIE):  # other browsers that have it come again by themselves
            for socket in [socket for socket, its in self._sockets.items() if its == cookie]:
                socket.cancel()
            try:
                await asyncio.to_thread(self.visitors.end, asked.cookies)
            except KhubError as error:  # it would go on for whoever has the cookie
                return problem_of(error)
        moved = self._moved("/login")
        self._forget_token(asked, moved)
        return moved

    def _keep_token(self, asked: Request, reply: Response, value: str, lasts_s: int | None = None) -> None:
        secure = asked.url.scheme == "https"
        reply.set_cookie(COOKIE, value, lasts_s, path=self._base, secure=secure, httponly=True, samesite="strict")

    def _forget_token(self, asked: Request, reply: Response) -> None:
        secure = asked.url.scheme == "https"
        reply.delete_cookie(COOKIE, path=self._base, secure=secure, httponly=True, samesite="strict")

    def _moved(self, path: str) -> Response:
        return RedirectResponse(PATH + path, 303, {"Cache-Control": "no-store"})

    def _login_page(self, asked: Request, said: Said | None = None, status: int = 200) -> Response:
        issuer = None if self._by_issuer is None else self._by_issuer.people.settings.host
        page = login_page(self._base, _is_chinese(asked), said, issuer)
        return HTMLResponse(page, status, {"Cache-Control": "no-store"})


def _is_chinese(asked: Request) -> bool:
    return asked.headers.get("accept-language", "").lower().startswith("zh")


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
