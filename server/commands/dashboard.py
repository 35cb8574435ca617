"""`khub dashboard`."""

import os
import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.errors import KhubError
from khub.components.extras import install_extra
from khub.server.terminal import tell

if TYPE_CHECKING:
    from khub.server.http.service_options import Dashboard

ENTRY_POINTS = "khub.pages"


def show_pages(
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port.")] = 8501,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
) -> None:
    """Show the hub in a browser: upload, ask, see the page, and find out why.

    Only this machine reaches it, and the address that it prints lets change things until it is stopped. Others on this
    machine may read, or need a token where there is one; for a team: khub serve --dashboard.

    Example: khub dashboard
    """
    from khub.server.http.tokens import Tokens

    tokens, shown = Tokens.of(os.environ), pages()

    from khub.server.http.service import serve
    from khub.server.http.service_options import ServiceOptions

    owner = secrets.token_urlsafe(16)

    def told(port: int) -> None:
        address = f"http://127.0.0.1:{port}/dashboard/login?token={owner}"
        tell(f"the dashboard is at {address}")
        if open_:
            typer.launch(address)

    serve(ServiceOptions(tokens=tokens, dashboard=shown, owner=owner), port, told)


def pages() -> "Dashboard":
    """Return what makes the pages, which the hub itself never imports.

    :raises KhubError: if they cannot be shown here.
    """
    try:
        from importlib.metadata import entry_points

        import streamlit  # noqa: F401

        (entry,) = entry_points(group=ENTRY_POINTS)
        return entry.load()  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise KhubError(
            f"the dashboard needs packages that are not installed ({error})",
            install_extra("dashboard"),
            code="library_missing",
        ) from error
