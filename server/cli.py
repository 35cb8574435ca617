"""The `khub` command."""

import gc
import logging
import os
import sys
import tempfile
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from khub.components.home import hub_home
from khub.components.private_files import OTHERS, make_private
from khub.components.temporary_files import temporary_files_in
from khub.server.commands import (
    chat,
    compare,
    convert,
    dashboard,
    delete,
    doctor,
    graph_check,
    graph_copy,
    graph_diff,
    graph_list,
    graph_parts,
    graph_schema,
    graph_show,
    history,
    images,
    import_rows,
    ingest,
    list_documents,
    mcp,
    mcp_install,
    model_card,
    move,
    query,
    reindex,
    serve,
    show,
    skills_install,
    stats,
    sync,
    sync_sources,
    token,
    trace_list,
    trace_show,
    trace_tail,
    trust,
    verify,
    watch,
    worker,
)
from khub.server.commands.added import ExtensibleGroup
from khub.server.commands.errors import HubGroup
from khub.server.remote.chosen import VARIABLE, check_command, checked_address
from khub.server.terminal import tell

SILENT = ("mcp", "serve", "worker", "dashboard", "trust")
"""Commands that ask nothing: a client speaks through standard input, or nobody sits at the terminal."""
MAKING = ("ingest", "import", "sync", "watch", "serve", "worker", "dashboard", "mcp")
"""Commands that may make a hub."""

app = typer.Typer(
    name="khub",
    cls=HubGroup,
    help="Turn private documents into cited, searchable knowledge. The data lies in $KHUB_HOME (default: ./data).",
    no_args_is_help=True,
    add_completion=False,  # it would write into the shell's own files
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models = typer.Typer(
    cls=ExtensibleGroup, help="See and measure embedding models.", no_args_is_help=True, rich_markup_mode=None
)
evaluations = typer.Typer(
    cls=ExtensibleGroup, help="Measure answers and retrieval.", no_args_is_help=True, rich_markup_mode=None
)
graphs = typer.Typer(
    help="See, check and compare the graphs that do the work.", no_args_is_help=True, rich_markup_mode=None
)
traces = typer.Typer(help="See what past runs did.", no_args_is_help=True, rich_markup_mode=None)
tokens = typer.Typer(help="Let people and programs in to the service.", no_args_is_help=True, rich_markup_mode=None)
skills = typer.Typer(help="Teach coding assistants to use the hub.", no_args_is_help=True, rich_markup_mode=None)

app.command("ingest")(ingest.ingest_files)
app.command("import")(import_rows.import_rows)
app.command("sync")(sync.sync)
app.command("sources")(sync_sources.list_sources)
app.command("watch")(watch.watch)
app.command("convert")(convert.convert)
app.command("query")(query.query)
app.command("chat")(chat.chat)
app.command("verify")(verify.verify)
app.command("compare")(compare.compare)
app.command("images")(images.find_images)
app.command("list")(list_documents.list_documents)
app.command("stats")(stats.stats)
app.command("show")(show.show)
app.command("history")(history.history)
app.command("delete")(delete.delete)
app.command("doctor")(doctor.doctor)
app.command("reindex")(reindex.reindex_collection)
app.command("move")(move.move_hub)
app.command("dashboard")(dashboard.show_pages)
app.command("serve")(serve.serve_hub)
app.command("worker")(worker.work)
app.command("trust")(trust.trust)
traces.command("list")(trace_list.trace_list)
traces.command("show")(trace_show.trace_show)
traces.command("tail")(trace_tail.trace_tail)
tokens.command("create")(token.create_named)
tokens.command("list")(token.list_tokens)
tokens.command("revoke")(token.revoke_named)
graphs.command("list")(graph_list.graph_list)
graphs.command("show")(graph_show.graph_show)
graphs.command("copy")(graph_copy.graph_copy)
graphs.command("check")(graph_check.graph_check)
graphs.command("diff")(graph_diff.graph_diff)
graphs.command("parts")(graph_parts.graph_parts)
graphs.command("schema")(graph_schema.graph_schema)
models.command("card")(model_card.model_card)
mcp.mcp.command("install")(mcp_install.mcp_install)
skills.command("install")(skills_install.skills_install)
app.add_typer(evaluations, name="eval")
app.add_typer(graphs, name="graph")
app.add_typer(models, name="model")
app.add_typer(skills, name="skills")
app.add_typer(tokens, name="token")
app.add_typer(traces, name="trace")
app.add_typer(mcp.mcp, name="mcp")


def main() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    _prepare_streams()
    _show_notices()
    os.umask(OTHERS)
    try:
        app(prog_name="khub")
    finally:
        gc.freeze()  # else all that was loaded is searched for cycles while the process ends: 0.3 s


def _keep_private() -> None:
    """Close a hub to other users of this machine that was made otherwise."""
    if make_private(home := hub_home()):
        tell(f"the hub in {home} was open to other users of this machine", "it is closed to them now")


def _keep_temporary_files(context: typer.Context) -> None:
    """Keep temporary files in the hub, where there is one or the command makes one; where all is full, name a folder.

    Libraries ask for one that they may never use; whoever writes there says what is wrong.
    """
    try:
        if context.invoked_subcommand in MAKING or hub_home().is_dir():
            context.with_resource(temporary_files_in(hub_home()))
        else:
            tempfile.gettempdir()
    except OSError:
        tempfile.tempdir = str(hub_home())


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"khub {version('knowledge-hub')}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar=VARIABLE,
            show_envvar=False,
            show_default=False,
            help="Ask the hub behind khub serve at this address ($KHUB_SERVER) in place of the one here.",
        ),
    ] = None,
) -> None:
    if server is not None:
        check_command(context.invoked_subcommand)
        context.obj = checked_address(server)
        return
    _keep_private()
    _keep_temporary_files(context)
    if context.invoked_subcommand not in SILENT and Path("pipelines").is_dir():
        trust.ask_about_folder()


def _show_notices() -> None:
    """Show what a user has to be told of, and did not ask for, on standard error."""
    notice = logging.getLogger("khub.notice")
    notice.handlers = [logging.StreamHandler(sys.stderr)]
    notice.handlers[0].setFormatter(logging.Formatter("khub: %(message)s"))


def _prepare_streams() -> None:
    """Speak UTF-8 whatever the locale says, a line at a time.

    What cannot be written is replaced, since an answer beats an error. Without line buffering, what goes to stderr
    would come before what was written to stdout earlier, where both end in one pipe or file.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)


if __name__ == "__main__":
    main()
