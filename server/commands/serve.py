"""`khub serve`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from server.commands.options import AllowHostOption
from server.commands.output import tell


def serve_hub(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address; any but this machine's own needs $KHUB_TOKEN.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port.")] = 8080,
    allow_host: AllowHostOption = None,
    allow_deploy: Annotated[
        bool, typer.Option("--allow-deploy", help="Let who has $KHUB_WRITE_TOKEN deploy code through hayhooks' routes.")
    ] = False,
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processes that serve.")] = 1,
    rate: Annotated[
        str | None, typer.Option(metavar="N/UNIT", help="How often each caller may ask, such as 600/minute.")
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Proxy that is believed who its client is (X-Forwarded-For)."),
    ] = None,
) -> None:
    """Serve graphs and MCP over HTTP until it is stopped.

    Reading needs $KHUB_TOKEN if that is set, or a token of `khub token`; writing needs $KHUB_WRITE_TOKEN, or a token
    that may write. Paths that are ingested lie in the folders of $KHUB_INGEST_ROOTS.

    Example: khub serve --port 8080
    """
    from server.http.addresses import check_address
    from server.http.tokens import Tokens

    tokens = Tokens.of(os.environ)
    check_address(host, tokens.are_needed())

    from server.graphs.folder import graph_folder
    from server.http.app import ServiceOptions
    from server.http.service import serve

    named = os.environ.get("KHUB_INGEST_ROOTS", "").split(os.pathsep)
    roots = tuple(Path(root).expanduser().resolve() for root in named if root.strip())
    options = ServiceOptions(host, tuple(allow_host or ()), tokens, roots, allow_deploy, rate, workers, proxy)
    tell(f"serving http://{host}:{port}, graphs of {graph_folder()}")
    serve(options, port)
