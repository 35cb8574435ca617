"""Show what a command would do."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from khub.server.commands.documents import shown_source
from khub.server.commands.ingest_report import kept, tell_troubles
from khub.server.commands.passed_over import passed_over, tell_passed_over
from khub.server.terminal import write_json, write_line, write_table

if TYPE_CHECKING:
    from khub.server.library.ingest_preview import IngestPreview


def show_preview(preview: "IngestPreview", as_json: bool, renamed: Sequence[dict[str, str]] = ()) -> None:
    """Write a preview; what is known to fail stands on standard error, and makes the exit code 1.

    :param renamed: `{from, to}` of files that only have another name.
    """
    tell_troubles(preview)
    tell_passed_over(preview)
    if as_json:
        write_json({**asdict(preview), **({"renamed": list(renamed)} if renamed else {})})
    else:
        _write_rows(preview, {row["to"]: row["from"] for row in renamed})
        write_line(_summary(preview))
    if preview.failed:
        raise typer.Exit(1)


def _write_rows(preview: "IngestPreview", old_names: dict[str, str]) -> None:
    rows = [("new", source, _renamed(old_names.get(source))) for source in preview.new]
    rows += [("changed", entry["source"], entry["why"]) for entry in preview.changed]
    gone = set(old_names.values())
    rows += [("removed", source, "renamed" if source in gone else "") for source in preview.removed]
    if rows:
        write_table(("would be", "source", "why"), [(what, shown_source(source), why) for what, source, why in rows])


def _renamed(old_name: str | None) -> str:
    return f"renamed from {shown_source(old_name)}" if old_name else ""


def _summary(preview: "IngestPreview") -> str:
    parts = [
        f"{len(preview.new):,} new",
        f"{len(preview.changed):,} changed",
        f"{len(preview.unchanged):,} unchanged",
        f"{len(preview.failed):,} known to fail (contents are not read)",
    ]
    if preview.removed:
        parts.append(f"{len(preview.removed):,} would be removed")
    if preview.kept:
        parts.append(kept(preview.kept))
    if preview.passed_over_count:
        parts.append(passed_over(preview))
    name = f"{preview.collection} (it would be made)" if preview.is_new else preview.collection
    return f"{name}: {', '.join(parts)}; nothing was written"
