"""`khub import`."""

from typing import Annotated

import typer

from khub.server.commands.ingest import about_ingest, fields_of
from khub.server.commands.ingest_report import show_result, shown_progress
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.commands.preview import show_preview


def import_rows(
    tables: Annotated[list[str], typer.Argument(metavar="TABLE…", help="Files: .jsonl, .ndjson, .csv, .tsv.")],
    collection: CollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'ingest' that takes rows.")] = "ingest_rows",
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata of all the rows; may be repeated.")
    ] = None,
    text_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of a row's text; 'text' if not named.")
    ] = None,
    title_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of its title; 'title', if there is one.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of its id; 'id', if there is one, else its number.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents of rows that are no longer in the table.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; write nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Read tables into a collection, each row a document; unchanged rows are skipped.

    Columns besides text, title and id become metadata of the rows' documents.

    Example: khub import orders.csv --text-column note --id-column order
    """
    from khub.components.catalog.collections import DEFAULT_COLLECTION
    from khub.server.jobs.command_jobs import command_job
    from khub.server.library.ingest_preview import preview_rows
    from khub.server.library.ingest_rows import ingest_rows
    from khub.server.library.row_files import Columns
    from khub.server.traces.app_log import configure_logging

    fields = fields_of(meta or []) or None
    columns = Columns(text_column, title_column, id_column)
    if dry_run:
        show_preview(preview_rows(tables, collection, graph, fields, columns, prune), as_json)
        return
    configure_logging()
    about = {**about_ingest(tables, [], fields), "rows": True}
    done = command_job("khub import", "ingest", collection or DEFAULT_COLLECTION, graph, **about)
    with done as job, shown_progress("ingest", "rows") as on_progress:
        job.result = result = ingest_rows(tables, collection, graph, fields, columns, prune, job.noting(on_progress))
    show_result(result, as_json)
