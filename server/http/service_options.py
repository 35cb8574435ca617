"""What the person who starts the service allows."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from khub.server.http.origins import check_origins
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import Visitors, check_user_header
from khub.server.jobs.watched_folder import WatchedFolder
from khub.server.listening.addresses import check_proxy


class Pages(Protocol):
    """An application of its own that the service shows."""

    def lifespan(self) -> Callable[[Any], AbstractAsyncContextManager[None]]:
        """Return what has to be open while it is served."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""


Dashboard = Callable[[Visitors], Pages]


@dataclass(frozen=True)
class ServiceOptions:
    """What the person who starts the service allows.

    :param host: address that is listened on.
    :param more_hosts: names by which clients reach this machine, beside its own.
    :param tokens: who may read and write.
    :param roots: folders from which files may be ingested.
    :param allow_deploy: leave hayhooks' own routes that run code open to who may write.
    :param workers: processes that serve.
    :param runs_jobs: do what is asked for; else a `khub worker` does it.
    :param watched: a folder that a collection is kept like.
    :param root_path: what a proxy puts before all paths, such as `/hub`; empty for nothing.
    :param rate: how often each caller may ask, such as `600/minute`; None for as often as it likes.
    :param proxy: address, or network, of a proxy that is believed who its client is; None where none is.
    :param dashboard: makes the pages for those who may see them; None where there are none.
    :param user_header: in which the proxy names who looks at the pages.
    :param owner: what the one who runs the hub signs in to the pages with; None where nobody does so.
    :param origins: of web pages from elsewhere that may use the service, such as `https://app.example`.
    :raises KhubError: if the proxy is neither, a header is believed that anybody could set, or an origin is none.
    """

    host: str = "127.0.0.1"
    more_hosts: tuple[str, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    roots: tuple[Path, ...] = ()
    allow_deploy: bool = False
    rate: str | None = None
    workers: int = 1
    runs_jobs: bool = True
    watched: WatchedFolder | None = None
    root_path: str = ""
    proxy: str | None = None
    dashboard: Dashboard | None = None
    user_header: str | None = None
    owner: str | None = None
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.proxy is not None:
            check_proxy(self.proxy)
        check_user_header(self.user_header, self.proxy)
        check_origins(self.origins)
