"""Show how an ingest goes and what came of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from khub.components.catalog.parts import shown_name
from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile
from khub.components.text.hidden_characters import on_one_line
from khub.server.commands.passed_over import passed_over, tell_passed_over
from khub.server.commands.progress import progress, speed
from khub.server.library.failure_groups import failure_groups
from khub.server.terminal import count, tell, write_json, write_line

if TYPE_CHECKING:
    from khub.server.library.ingest_preview import IngestPreview
    from khub.server.library.ingest_result import IngestResult, Progress

NAMED = 3
"""So many files that failed alike, are passed over or left out are named; JSON has them all."""


@contextmanager
def shown_progress(what: str, unit: str) -> "Iterator[Callable[[Progress], None]]":
    """Show on standard error how far an ingest has come, until the block ends.

    :param what: what is under way.
    :param unit: what is counted, in the plural.
    """
    started = time.monotonic()
    with progress(what, unit) as report:

        def on_progress(now: "Progress") -> None:
            said = written_so_far(now, time.monotonic() - started)
            report(now.done, now.total, said, share=now.share)

        yield on_progress


def show_result(result: "IngestResult", as_json: bool) -> None:
    """Write what came of the files of an ingest on this machine, as `write_result` does."""
    from khub.components.catalog.catalog import open_catalog

    there = not result.failed or open_catalog().collections.exists(result.collection)
    write_result(result, as_json, there)


def write_result(result: "IngestResult", as_json: bool, there: bool = True) -> None:
    """Write what came of the files; a failure among them makes the exit code 1.

    :param there: whether their collection is.
    """
    tell_troubles(result)
    tell_passed_over(result)
    if not there:
        tell(f"there is still no collection {result.collection!r}, since nothing could be read")
    if not (result.written or result.unchanged or result.failed or result.removed):
        tell("nothing was found that can be read", "the kinds of files are in README.md; hidden ones are left out")
    if as_json:
        write_json(asdict(result))
    else:
        write_line(summary(result))
    if result.failed:
        raise typer.Exit(1)


def tell_troubles(result: "IngestResult | IngestPreview") -> None:
    """Say on standard error what did not go as it should, a line each."""
    for link in result.links_left:
        tell(link, "link not followed, since it leads out of the folder", "name its target to ingest it")
    tell_degraded(result.degraded, "ingest again")
    tell_failed(result.failed)


def tell_failed(failed: list[FailedFile]) -> None:
    """Say on standard error why files failed: a line for each reason, with the first of its files.

    :param failed: what could not be read, and why.
    """
    for group in failure_groups(failed):
        files = group.sources
        more = f" and {len(files) - NAMED:,} more" if len(files) > NAMED else ""
        where = files[0] if len(files) == 1 else f"{count(len(files), 'file')} ({', '.join(files[:NAMED])}{more})"
        tell(where, group.error, group.remedy)


def tell_degraded(entries: list[DegradedEntry], remedy: str) -> None:
    """Say once for each reason what stands in for a stage, and in how much.

    :param remedy: what asks for these alone.
    """
    groups: dict[tuple[str, str], list[DegradedEntry]] = {}
    for entry in entries:
        groups.setdefault((entry["stage"], entry["reason"]), []).append(entry)
    for (stage, reason), group in groups.items():
        inside = [entry for entry in group if "source" in entry]
        if not inside:
            tell(f"{stage} degraded", reason, group[0].get("remedy", ""))
            continue
        sources = [shown_name(entry["source"]) for entry in inside]
        where = sources[0] if len(sources) == 1 else count(len(sources), "document")
        if "pages" in inside[0]:
            pages = count(sum(len(entry["pages"]) for entry in inside), "page")
            tell(f"{where} ({pages})", reason, inside[0]["remedy"])
            continue
        if "attachments" in inside[0]:
            number = sum(entry["count"] for entry in inside)
            names = [on_one_line(name) for entry in inside for name in entry["attachments"]][:NAMED]
            more = [f"{number - len(names)} more"] if number > len(names) else []
            tell(f"{where} ({', '.join([*names, *more])})", f"left out, since {reason}", inside[0]["remedy"])
            continue
        chunks = count(sum(entry["chunks"] for entry in inside), "chunk")
        tell(f"{stage} degraded in {where} ({chunks})", reason, f"{remedy} to ask for these alone")


def kept(files: list[str]) -> str:
    """Return in words how many files are there, and documents, although a walk of their folder leaves them out."""
    return f"{len(files):,} kept (left out by the walk)"


def written_so_far(now: "Progress", seconds: float) -> str:
    """Return `66 chunks, 4.5 pages/s, 1 failed, at plan.pdf`; only what there is, and the first file at work."""
    failed = f"{now.failed} failed" if now.failed else ""
    at = f"at {on_one_line(shown_name(now.at_work[0]))}" if now.at_work else ""
    return ", ".join(filter(None, [count(now.chunks, "chunk"), speed(now.pages, "pages", seconds), failed, at]))


def summary(result: "IngestResult") -> str:
    """Return what became of the files, in one line."""
    chunks = sum(written["chunks"] for written in result.written)
    parts = [
        f"{len(result.written):,} new or changed ({count(chunks, 'chunk')})",
        f"{len(result.unchanged):,} unchanged",
        f"{len(result.failed):,} failed",
    ]
    if result.removed:
        parts.append(f"{len(result.removed):,} removed")
    if result.overtaken:
        parts.append(f"{len(result.overtaken):,} left to a later job")
    if result.kept:
        parts.append(kept(result.kept))
    if result.passed_over_count:
        parts.append(passed_over(result))
    if result.links_left:
        parts.append(f"{count(len(result.links_left), 'link')} not followed")
    return f"{result.collection}: {', '.join(parts)} in {result.seconds:.1f} s"
