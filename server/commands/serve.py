"""`khub serve`."""

import os
from typing import Annotated

import typer

from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.server.commands.dashboard import pages
from khub.server.commands.options import AllowHostOption
from khub.server.terminal import tell


def _root_path(path: str) -> str:
    trimmed = path.rstrip("/")
    if trimmed and not trimmed.startswith("/"):
        raise typer.BadParameter(f"{path!r} does not begin with /")
    return trimmed


def serve_hub(  # noqa: PLR0913, PLR0917 - each is an option
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address; any but this machine's own needs $KHUB_TOKEN.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port.")] = 8080,
    allow_host: AllowHostOption = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            envvar="KHUB_ALLOW_ORIGIN",
            show_envvar=False,
            help="Web page from elsewhere that may use the service, such as https://app.example; may be repeated.",
        ),
    ] = None,
    allow_deploy: Annotated[
        bool, typer.Option("--allow-deploy", help="Let who has $KHUB_WRITE_TOKEN deploy code through hayhooks' routes.")
    ] = False,
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processes that serve.")] = 1,
    rate: Annotated[
        str | None, typer.Option(metavar="N/UNIT", help="How often each caller may ask, such as 600/minute.")
    ] = None,
    watch: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep a collection like this folder, as khub watch does.")
    ] = None,
    collection: Annotated[
        str, typer.Option("--collection", "-c", metavar="NAME", help="The collection of --watch.")
    ] = DEFAULT_COLLECTION,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Ingest what is sent; else khub worker does it.")
    ] = True,
    root_path: Annotated[
        str, typer.Option(metavar="PATH", callback=_root_path, help="What a proxy puts before all paths, such as /hub.")
    ] = "",
    proxy: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Proxy that is believed who its client is (X-Forwarded-For)."),
    ] = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Show the pages too, at /dashboard, to who has a token.")
    ] = False,
    user_header: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Header in which the proxy names the user of the pages: that of a token."),
    ] = None,
) -> None:
    """Serve graphs and MCP over HTTP until it is stopped.

    Reading needs $KHUB_TOKEN if that is set, or a token of `khub token`; writing needs $KHUB_WRITE_TOKEN, or a token
    that may write. Paths that are ingested lie in the folders of $KHUB_INGEST_ROOTS.

    Example: khub serve --port 8080
    """
    if watch is not None and not worker:
        raise typer.BadParameter("--watch needs a worker: leave --no-worker out")

    from khub.components.catalog.catalog import open_catalog
    from khub.server.http.tokens import Tokens
    from khub.server.listening.addresses import check_address

    open_catalog().jobs.counts()  # whatever is wrong with the database is told before any work
    tokens = Tokens.of(os.environ)
    check_address(host, tokens.are_needed())

    from khub.server.graphs.folder import graph_folder
    from khub.server.http.ingest_roots import ingest_roots
    from khub.server.http.service import serve
    from khub.server.http.service_options import ServiceOptions
    from khub.server.jobs.watched_folder import WatchedFolder
    from khub.server.library.sync import checked_folder

    options = ServiceOptions(
        host=host,
        more_hosts=tuple(allow_host or ()),
        tokens=tokens,
        roots=ingest_roots(),
        allow_deploy=allow_deploy,
        rate=rate,
        workers=workers,
        runs_jobs=worker,
        watched=None if watch is None else WatchedFolder(checked_folder(watch), collection),
        root_path=root_path,
        proxy=proxy,
        dashboard=pages() if dashboard else None,
        user_header=user_header,
        origins=tuple(allow_origin or ()),
    )
    serve(options, port, lambda port: tell(f"serving http://{host}:{port}, graphs of {graph_folder()}"))
