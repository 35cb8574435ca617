"""What a tool says when it cannot do what it was asked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError

from khub.components.disk_full import told_when_full
from khub.components.errors import CollectionError, KhubError
from khub.components.home import hub_home

MOST_TOLD = 10
"""Collections of which an error tells what they hold."""


@contextmanager
def told_to_the_model() -> Iterator[None]:
    """Turn the hub's own errors into tool errors, which a model can act on: each ends in its `[code]`."""
    try:
        with told_when_full(hub_home()):
            yield
    except KhubError as error:
        from khub.components.text.hidden_characters import on_one_line

        held = _held(error.among) if isinstance(error, CollectionError) else ""
        raise ToolError(f"{on_one_line(str(error))}{held} [{error.code}]") from error


def _held(names: Sequence[str]) -> str:
    """Return what is in the collections of which one could be named, so that a model need not ask for it."""
    from khub.components.text.hidden_characters import on_one_line
    from khub.server.reads.listed import collection_row

    rows = [collection_row(name, []) for name in names[:MOST_TOLD]]
    lines = [f"- {row['name']}: {row['documents']} documents; {row['description']}" for row in rows]
    if len(names) > MOST_TOLD:
        lines.append(f"and {len(names) - MOST_TOLD} more: see list_collections")
    return "".join(f"\n{on_one_line(line)}" for line in lines)
