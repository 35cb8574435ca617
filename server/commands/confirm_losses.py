"""Ask before documents go that may be missed."""

import os
import sys
from typing import TYPE_CHECKING

import typer

from khub.components.errors import KhubError
from khub.components.text.hidden_characters import on_one_line
from khub.server.terminal import count, tell

if TYPE_CHECKING:
    from khub.server.library.sync import SyncPlan

NAMED = 3
"""So many subfolders are named that would lose all their documents."""


def losses(plan: "SyncPlan", number: int) -> str:
    """Return in words how many documents would go, and which subfolders would lose all of theirs."""
    of = f"{number:,} of {count(plan.documents, 'document')} from {on_one_line(plan.folder)!r}"
    if not plan.emptied:
        return of
    named = ", ".join(repr(on_one_line(os.path.relpath(one, plan.folder))) for one in plan.emptied[:NAMED])
    more = f" and {len(plan.emptied) - NAMED:,} more" if len(plan.emptied) > NAMED else ""
    return f"{of} (among them all of {named}{more}, not mounted perhaps)"


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def confirm(plan: "SyncPlan") -> None:
    """Ask whether documents are to go.

    :raises KhubError: if nobody can be asked.
    """
    if not _on_terminal():
        raise KhubError(
            f"{losses(plan, plan.lost)} would be removed from collection {plan.collection!r}",
            "see which by --dry-run, then add --yes",
            code="confirmation_needed",
        )
    if not typer.confirm(
        f"Remove {losses(plan, plan.lost)}, in collection {on_one_line(plan.collection)!r}?", err=True
    ):
        tell("nothing was changed")
        raise typer.Exit(1)
