"""`khub mcp install`."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from khub.components.home import hub_home
from khub.server.clients.clients import ClientName
from khub.server.terminal import tell, write_line, write_text

if TYPE_CHECKING:
    from khub.server.clients.install import Change

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _server_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise typer.BadParameter(f"{name!r}: give 1 to 64 letters, digits, '_' or '-'")
    return name


def mcp_install(
    client: Annotated[ClientName, typer.Option("--client", help="Which client is to know this hub.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Folder of a project, for a file of that project; claude-code, vscode and continue take this folder, "
            "the others a file for all of your projects.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(callback=_server_name, metavar="NAME", help="What the server is called there.")
    ] = "knowledge-hub",
    allow_write: Annotated[bool, typer.Option("--allow-write", help="Also offer the tools that write.")] = False,
    roots: Annotated[
        list[Path] | None,
        typer.Option("--root", metavar="DIR", help="Folder out of which the client may ingest; may be repeated."),
    ] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be entered; write nothing.")] = False,
    remove: Annotated[bool, typer.Option("--uninstall", help="Take the entry out again.")] = False,
) -> None:
    """Enter this hub, with its data and graphs, into the configuration of an MCP client.

    What the client's file holds otherwise stays; the old file is kept beside it.

    Example: khub mcp install --client claude-desktop
    """
    from khub.server.clients.clients import CLIENTS
    from khub.server.clients.install import install, shell_command, snippet, uninstall
    from khub.server.clients.launch import server_launch

    if remove:
        _report(client, uninstall(client, name, folder), "is taken out of", "is not in")
        return
    launch = server_launch(allow_write, roots or ())
    if not (hub_home() / "catalog.sqlite3").exists():
        tell(f"the hub in {hub_home()} holds no documents yet", "ingest some, or set KHUB_HOME to another one")
    if not only_print:
        _report(client, install(client, name, launch, folder), "is entered in", "is already in")
        return
    tell(f"for {CLIENTS[client].path(client, name, folder)}")
    write_text(snippet(client, name, launch))
    if command := shell_command(client, name, launch):
        tell("or, for all of your projects", _line(command))


def _report(client: ClientName, change: "Change", done: str, nothing: str) -> None:
    kept = f"; the old file is {change.backup}" if change.backup else ""
    again = f"; start {client} again" if change.changed else ""
    write_line(f"the hub {done if change.changed else nothing} {change.path}{kept}{again}")


def _line(command: list[str]) -> str:
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
