"""The door of the service: what every request passes before anything else sees it."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from khub.components.catalog.access import Caller, calling_as
from khub.components.errors import KhubError
from khub.server.graphs.places import Places, counted_among
from khub.server.http.answer import Answer, in_openais
from khub.server.http.answer_limit import AnswerLimit
from khub.server.http.audit import Audit
from khub.server.http.dashboard_door import DashboardDoor, is_of_dashboard
from khub.server.http.openai.errors import PATHS
from khub.server.http.origins import open_to
from khub.server.http.problems import problem, problem_of
from khub.server.http.rates import Rates
from khub.server.http.routes import is_served
from khub.server.http.shown_paths import shortened
from khub.server.http.tokens import PROBES, WRITE_TOKEN, Access, Tokens, needed
from khub.server.http.whole_body import when_whole
from khub.server.listening.addresses import known_places
from khub.server.traces.trace_context import HEADER, TraceContext, coming_from, context_in

MOST_BYTES = 4 * 1024 * 1024
LONGEST_S = 600
"""So long may an answer take to begin; what is then sent piece by piece may take longer."""
MCP = "/mcp"
DEPLOYING = re.compile(r"/(status|draw|(un)?deploy([-_]\w+)?)(/.*)?", re.DOTALL)
"""Routes of hayhooks that run code, that send a graph to another site, or that know only what was deployed."""
EMPTY = re.compile(r"/(v1/)?(files(/.*)?|responses/.*)", re.DOTALL)
"""Routes of hayhooks that take files, and keep none; that tell of responses, and know none."""


class Door:
    """Lets in who may come in: known host and origin, a body of some size, a token that is good enough, not too often.

    What lies behind runs for the caller that its token names, see `khub.components.catalog.access`.

    :param app: what lies behind.
    :param tokens: who may do what.
    :param hosts: values of `Host` that are answered, see `allowed_hosts`.
    :param allow_deploy: leave hayhooks' own routes open to who may write.
    :param rates: how often, and how many at once.
    :param root_path: what a proxy puts before all paths, whether it takes that away again or not.
    :param proxy: from this address, or network, `X-Forwarded-For` is believed.
    :param dashboard: the door of the pages, which has its own ways; None where there are none.
    :param origins: of web pages from elsewhere that may use the service.
    :param roots: folders from which files may be ingested.
    """

    def __init__(
        self,
        app: FastAPI,
        tokens: Tokens,
        hosts: Sequence[str],
        allow_deploy: bool = False,
        rates: Rates | None = None,
        root_path: str = "",
        proxy: str | None = None,
        dashboard: DashboardDoor | None = None,
        origins: Sequence[str] = (),
        roots: Sequence[Path] = (),
    ) -> None:
        self.app = app
        self._dashboard = dashboard
        self._tokens = tokens
        self._allow_deploy = allow_deploy
        self._roots = roots
        self._rates = rates or Rates()
        self._places = Places()
        self._root_path = root_path
        self._audit = Audit()
        self._inside: ASGIApp = open_to(origins, self._answer)
        if proxy is not None:
            self._inside = ProxyHeadersMiddleware(self._inside, proxy)  # type: ignore[arg-type, assignment]
        self._security = known_places(hosts, origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may not come in; hand the others on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif self._dashboard is not None and is_of_dashboard(path := self._below_root(scope)["path"]):
            await self._dashboard({**scope, "path": path}, receive, send)
        elif scope["type"] == "http":
            await self._inside(self._below_root(scope), receive, send)
        else:  # there are no other web sockets
            await send({"type": "websocket.close", "code": 1008})

    def end_streams(self) -> None:
        """End what stands as long as its client: the service is told to stop."""
        self.app.state.end_streams()

    def _below_root(self, scope: Scope) -> Scope:
        path = scope["path"]
        if not self._root_path or not path.startswith(f"{self._root_path}/"):
            return scope
        return {**scope, "path": path[len(self._root_path) :]}

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = Answer(in_openais(send) if PATHS.fullmatch(scope["path"]) else send, self._root_path)
        access, who = Access.NOTHING, Caller()
        given = Headers(scope=scope).get("authorization", "")
        try:
            if scope["path"] not in PROBES:
                access, who = self._tokens.caller(given)
                answer.goes_on = lambda: self._tokens.caller(given) == (access, who)
            if who.name:
                answer.send_by(lambda send: shortened(self._roots, send))
            refused = await self._refusal(scope, access, who)
        except KhubError as error:
            refused = problem_of(error)
        try:
            if refused is not None:
                await refused(scope, receive, answer.send)
            elif scope["path"] in PROBES:
                await self.app(scope, receive, answer.send)
            elif _is_upload(scope):  # it may take long to come, and keeps nobody's place
                await self._hand_on(scope, receive, answer, who, lambda: None)
            else:
                await self._hand_on_whole(scope, receive, answer, who)
        finally:
            if scope["path"] not in PROBES:
                self._audit.note(who.name, scope, answer.status)

    async def _hand_on_whole(self, scope: Scope, receive: Receive, answer: "Answer", who: Caller) -> None:
        """Hand a request on once all of it is there: until then it keeps no place from others."""
        try:
            whole = await when_whole(receive, MOST_BYTES)
        except HTTPException as error:
            await problem(error.status_code, error.detail)(scope, receive, answer.send)
            return
        if whole is None:
            return
        if self._rates.enter():
            client = receive if _is_for_its_client(scope) else None
            await self._hand_on(scope, whole, answer, who, self._rates.leave, client)
        else:
            busy = problem(503, "too many requests are being answered", {"Retry-After": "1"})
            await busy(scope, receive, answer.send)

    async def _hand_on(
        self,
        scope: Scope,
        receive: Receive,
        answer: "Answer",
        who: Caller,
        leave: Callable[[], None],
        client: Receive | None = None,
    ) -> None:
        """Let what lies behind answer, for the caller.

        :param leave: gives the place of the request back, once its answer has begun.
        :param client: says when the client has gone, who has nothing more to send: what is done for it ends then. None
            for what goes on without it.
        """
        limit = AnswerLimit(LONGEST_S, client)

        def begin() -> None:
            leave()
            limit.lift()

        async def receive_more() -> Message:
            message = await receive()
            limit.prolong()
            return message

        answer.when_begun = begin
        answer.when_revoked = limit.end
        if who.name:  # a session of MCP belongs to the token that began it
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=who.name, scopes=[]))
        came = _context_of(scope)
        if came is not None:
            answer.headers[HEADER] = came.answer()
        try:
            with calling_as(who), coming_from(came), counted_among(self._places, who.name or _address(scope)):
                async with limit:
                    await self.app(scope, receive_more, answer.send)
        except TimeoutError:
            if answer.was_revoked:
                return
            if answer.has_begun:
                raise
            if not limit.is_gone:
                answer.when_begun = leave
                await problem(504, f"there was no answer in {LONGEST_S} s")(scope, receive, answer.send)
        finally:
            if not answer.has_begun:
                leave()

    async def _refusal(self, scope: Scope, access: Access, who: Caller) -> Response | None:
        """Return why a request may not come in; note what it may do if it may."""
        method, path, headers = scope["method"], scope["path"], Headers(scope=scope)
        if path not in PROBES and (refused := await self._security.validate_request(Request(scope))):
            return problem(refused.status_code, "the service is not known by this Host, or not to this Origin")
        scope.setdefault("state", {})["access"] = access
        need, closed = needed(method, path), EMPTY.fullmatch(path) is not None
        if DEPLOYING.fullmatch(path):
            need, closed = Access.WRITE, not self._allow_deploy
        address = _address(scope)
        if Access.NOTHING < access < need and (closed or not is_served(self.app.routes, scope)):
            need = access  # whoever may read is told that there is no such route
        if access < need:
            wait_s = self._rates.guesses_wait_s(address) if not who.name and "authorization" in headers else 0
            return _too_often(wait_s) if wait_s else refusal(access, self._tokens)
        if need > Access.NOTHING and (wait_s := self._rates.wait_s(who.name or address)):
            return _too_often(wait_s)
        if closed:
            return problem(404, "there is no such route", code="route_unknown")
        size = headers.get("content-length", "0")
        if not size.isdecimal() or (int(size) > MOST_BYTES and not _is_upload(scope)):
            return problem(413, f"the body is larger than {MOST_BYTES} bytes", code="too_large")
        return None


def _context_of(scope: Scope) -> TraceContext | None:
    """Return of which trace of its client a request says that it is a part; one that names several names none."""
    named = Headers(scope=scope).getlist(HEADER)
    return context_in(named[0]) if len(named) == 1 else None


def _is_for_its_client(scope: Scope) -> bool:
    """Say whether nothing is left to do for a request once its client has gone: it changes nothing.

    In MCP a client that has gone may come again for the result.
    """
    return needed(scope["method"], scope["path"]) <= Access.READ and scope["path"] != MCP


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _is_upload(scope: Scope) -> bool:
    """Say whether a request has limits of its own: that of files."""
    return (scope["method"], scope["path"]) == ("POST", "/documents")


def _too_often(wait_s: int) -> Response:
    return problem(429, "too many requests", {"Retry-After": str(wait_s)})


def refusal(access: Access, tokens: Tokens) -> Response:
    """Return the answer to a request that may not do what it wants.

    :param access: what it may do.
    :param tokens: the service's.
    """
    if access is Access.NOTHING or (not tokens.are_needed() and tokens.let_write()):
        return problem(401, "a token is needed for this", {"WWW-Authenticate": "Bearer"})
    if not tokens.let_write():
        return problem(403, "writing is closed", remedy=f"start the service with {WRITE_TOKEN}")
    return problem(403, "this token may not write")
