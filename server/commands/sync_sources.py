"""`khub sync` with the address of a source, or with all of them; `khub sources`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.components.errors import KhubError, OptionError
from khub.server.commands.confirm_losses import confirm
from khub.server.commands.ingest_report import show_result, shown_progress
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.commands.preview import show_preview
from khub.server.terminal import count, tell, write_json, write_line, write_table

if TYPE_CHECKING:
    from khub.server.sources.asked_source import AskedSource

NOTHING = "no source is known; name one in sources.yaml, or sync one: khub sync web:https://…"


def sync_source(
    address: str, collection: str | None, graph: str, pairs: list[str], yes: bool, dry_run: bool, as_json: bool
) -> None:
    """Sync one source, by what `sources.yaml` says of it and what is given here.

    :param pairs: settings as NAME=VALUE.
    """
    _sync(_asked(address, collection, graph, pairs), yes, dry_run, as_json)


def sync_all(yes: bool, dry_run: bool, as_json: bool) -> None:
    """Sync all that `sources.yaml` names; one that fails keeps no other from it.

    :raises KhubError: at the end, if one has failed.
    """
    from khub.components.catalog.catalog import open_catalog
    from khub.server.sources.configured import read_sources

    usable, failed = read_sources()[0], list[KhubError](read_sources()[1])
    for error in failed:
        tell("sources.yaml", str(error))
    for asked in usable:
        if not dry_run:
            open_catalog().source_states.add(asked.key, asked.collection, asked.shown)
            tell(asked.shown, f"syncing into {asked.collection!r}")
        try:
            _sync(asked, yes, dry_run, as_json)
        except KhubError as error:
            failed.append(error)
            open_catalog().source_states.note(asked.key, problem=str(error))
            tell(asked.shown, str(error))
    if failed:
        raise KhubError(f"{count(len(failed), 'source')} could not be synced", "see above", code=failed[0].code)


def list_sources(
    collection: CollectionOption = None,
    forget: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Take one that was synced by hand off the list, also by its key."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the sources that are known: how often, when, what came of it, and why one stands still.

    Documents of a source that is forgotten stay.

    Example: khub sources --forget web:https://docs.example.com/guide/
    """
    from dataclasses import asdict

    from khub.server.jobs.listed_sources import listed_sources

    if forget is not None:
        _forget(forget, collection, as_json)
        return
    found = [source for source in listed_sources() if collection in (None, source.collection)]
    if as_json:
        write_json([asdict(source) for source in found])
    elif not found:
        write_line(NOTHING)
    else:
        rows = [
            (one.address, one.collection, every(one.every_s), one.last_at or "never", one.next_at or "", one.problem)
            for one in found
        ]
        write_table(("source", "collection", "every", "last", "next", "problem"), rows)


def _forget(name: str, collection: str | None, as_json: bool) -> None:
    from dataclasses import asdict

    from khub.server.sources.forgotten import forget_source

    gone = forget_source(name, collection)
    if as_json:
        write_json(asdict(gone))
        return
    write_line(f"forgot {gone.address} of collection {gone.collection!r}")
    if gone.documents:
        write_line(f"{count(gone.documents, 'document')} of it stay there until you delete them: khub delete DOC")


def every(seconds: float | None) -> str:
    """Return a time such as `6 h`; `when asked` for none."""
    if seconds is None:
        return "when asked"
    for name, length in (("d", 86_400), ("h", 3600)):
        if seconds % length == 0:
            return f"{seconds / length:g} {name}"
    return f"{seconds / 60:g} min"


def _sync(asked: "AskedSource", yes: bool, dry_run: bool, as_json: bool) -> None:
    from khub.server.sources.source_sync import apply_source, plan_source, preview_source

    if dry_run:
        show_preview(preview_source(asked), as_json)
        return

    from khub.server.jobs.command_jobs import command_job
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    done = command_job("khub sync", "source", asked.collection, asked.graph, folder=asked.shown)
    with done as job:
        with shown_progress("fetch", "items") as on_progress:
            plan = plan_source(asked, job.noting(on_progress))
        for reason in plan.mirror.notes.incomplete:
            tell(asked.shown, f"not all could be listed, nothing is removed: {reason}")
        if plan.sync.drastic and not yes:
            confirm(plan.sync)
        with shown_progress("sync", "files") as on_progress:
            job.result = result = apply_source(plan, job.noting(on_progress), drastic=True)
    show_result(result, as_json)


def _asked(address: str, collection: str | None, graph: str, pairs: list[str]) -> "AskedSource":
    """Return what is asked for; `sources.yaml` says what is not given here."""
    from khub.components.sources.address import shown_source
    from khub.server.sources.configured import asked_by, entries_of_files, read_sources

    for error in read_sources()[1]:
        tell("sources.yaml", str(error))
    entry: dict[str, Any] = {}
    for known in entries_of_files():
        same = shown_source(str(known.get("source"))) == shown_source(address)
        if same and collection in (None, known.get("collection", "default")):
            entry = dict(known)
            break
    given = {"source": address, **({"collection": collection} if collection else {})}
    if graph != "ingest":
        given["graph"] = graph
    return asked_by({**entry, **given, **_settings(pairs)}, "the source")


def _settings(pairs: list[str]) -> dict[str, Any]:
    from khub.server.library.filter_text import typed

    settings: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not name or not equals:
            raise OptionError(f"{pair!r} is not NAME=VALUE", "write it like --set pages=500")
        if name == "every":
            raise OptionError("`every` is of a source that a service follows", "write it into sources.yaml")
        settings[name] = {"true": True, "false": False, "null": None}.get(value, typed(value))
    return settings
