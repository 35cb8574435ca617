"""`khub mcp`."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from khub.server.commands.options import AllowHostOption
from khub.server.terminal import tell

mcp = typer.Typer(
    help="Serve AI assistants through the Model Context Protocol (MCP).",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@mcp.callback()
def serve(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP at /mcp instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address for --http; any but this machine's own needs $KHUB_TOKEN.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port for --http.")] = 8765,
    allow_host: AllowHostOption = None,
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="Offer the tools that ingest and delete documents.")
    ] = False,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", file_okay=False, exists=True, help="Folder that a client may ingest from; may be repeated."
        ),
    ] = None,
) -> None:
    """Serve AI assistants until the client leaves (or, with --http, until it is stopped).

    Every request over HTTP must carry the token of $KHUB_TOKEN, if that is set.

    Example: khub mcp --allow-write --root ~/Documents
    """
    if context.invoked_subcommand is not None:
        return

    from khub.server.mcp.protocol_pipes import claim_protocol_pipes

    pipes = None if http else claim_protocol_pipes()  # before anything is imported that may print
    with _uncollected():
        from khub.server.mcp.options import ServerOptions
        from khub.server.mcp.server import build_server
        from khub.server.mcp.stderr_log import warnings_only
        from khub.server.mcp.warm_up import import_native_modules
        from khub.server.nearby.answering import answering_commands

        token = os.environ.get("KHUB_TOKEN") or None
        if http:
            from khub.server.listening.addresses import check_address

            check_address(host, token is not None)
        import_native_modules()
        roots = tuple(path.resolve() for path in root or ())
        server = build_server(ServerOptions(allow_write, roots, token if http else None))
        warnings_only()
    if pipes is not None:
        from khub.server.mcp.stdio import serve_stdio

        with answering_commands():
            serve_stdio(server, pipes)
        return

    from khub.server.graphs.folder import graph_folder
    from khub.server.mcp.http import http_server

    tell(f"serving http://{host}:{port}/mcp, graphs of {graph_folder()}")
    with answering_commands():
        http_server(server, host, port, allow_host or ()).run()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Search for no cycles while everything is imported, and never in what was: a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
