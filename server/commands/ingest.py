"""`khub ingest`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.server.commands.ingest_report import show_result, shown_progress, write_result
from khub.server.commands.options import CollectionOption, JsonOption, NoIgnoreOption, refuse_undecodable
from khub.server.commands.preview import show_preview
from khub.server.remote.chosen import chosen_service, refuse_options

if TYPE_CHECKING:
    from khub.server.remote.service import Service


def ingest_files(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH…", help="Files and folders; URLs, with --allow-url.", show_default=False),
    ],
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' that takes files.")] = "ingest",
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata of all the files; may be repeated.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; write nothing.")] = False,
    allow_url: Annotated[bool, typer.Option("--allow-url", help="Fetch what is named by http:// or https://.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from this machine and private networks, too.")
    ] = False,
    no_ignore: NoIgnoreOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read files and folders into a collection; unchanged files are skipped.

    Example: khub ingest manuals notes.md --collection work --meta year=2026
    """
    fields = fields_of(meta or []) or None
    if (service := chosen_service(context, writing=True)) is not None:
        refuse_options(dry_run=dry_run, allow_url=allow_url, allow_private=allow_private)
        _ingest_there(service, paths, collection, graph, fields, no_ignore, as_json)
        return
    urls = _urls(paths, allow_url, allow_private, dry_run)

    from khub.server.traces.app_log import configure_logging

    if not dry_run:
        configure_logging()  # it would begin a log

    from khub.components.catalog.collections import DEFAULT_COLLECTION
    from khub.server.hub import Hub
    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.ingest_preview import preview_ingest

    if dry_run:
        show_preview(preview_ingest(paths, collection, graph, fields, no_ignore), as_json)
        return
    files = [path for path in paths if path not in urls]
    about = about_ingest(files, urls, fields)
    with command_job("khub ingest", "ingest", collection or DEFAULT_COLLECTION, graph, **about) as job:
        with shown_progress("ingest", "files") as on_progress:
            job.result = result = Hub().ingest(
                *files,
                collection=collection,
                graph=graph,
                meta=fields,
                on_progress=job.noting(on_progress),
                with_ignored=no_ignore,
            )
        if urls:
            from khub.server.library.ingest_urls import add_result, ingest_urls
            from khub.server.library.url_download import Limits

            add_result(result, ingest_urls(urls, collection, graph, fields, Limits(private=allow_private)))
    show_result(result, as_json)


def about_ingest(files: list[str], urls: list[str], meta: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the history says of an ingest, beside what came of it."""
    from khub.components.text.shown_address import shown_address
    from khub.server.library.source_walk import absolute

    paths = [*map(str, map(absolute, files)), *map(shown_address, urls)]
    return {"paths": paths, "meta": meta} if meta else {"paths": paths}


def _urls(paths: list[str], allowed: bool, allow_private: bool, only_files: bool) -> list[str]:
    """Return which of the paths are fetched."""
    urls = [path for path in paths if is_url(path)]
    if urls and not allowed:
        from khub.components.text.shown_address import shown_address

        raise typer.BadParameter(f"{shown_address(urls[0])!r} is fetched only with --allow-url", param_hint="PATH")
    if urls and only_files:
        raise typer.BadParameter("a URL cannot be read without being fetched", param_hint="PATH")
    if allow_private and not allowed:
        raise typer.BadParameter("it is for URLs: add --allow-url", param_hint="--allow-private")
    return urls


def _ingest_there(
    service: "Service",
    paths: list[str],
    collection: str | None,
    graph: str,
    meta: dict[str, Any] | None,
    no_ignore: bool,
    as_json: bool,
) -> None:
    if any(map(is_url, paths)):
        raise typer.BadParameter("a service takes files and folders of this machine, no URLs", param_hint="PATH")

    from khub.server.remote.ingest import ingest

    with shown_progress("ingest", "files") as on_progress:
        result = ingest(service, paths, collection, graph, meta, on_progress, no_ignore)
    write_result(result, as_json)


def is_url(name: str) -> bool:
    """Say whether a person means something on the web."""
    return name.lower().startswith(("http://", "https://"))


def fields_of(pairs: list[str]) -> dict[str, Any]:
    """Return metadata that was typed as `KEY=VALUE`."""
    from khub.server.library.filter_text import typed

    fields: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not key or not equals:
            raise typer.BadParameter(f"{pair!r} is not KEY=VALUE, as in author=Chen", param_hint="--meta")
        refuse_undecodable(pair)
        fields[key] = typed(value)
    return fields
