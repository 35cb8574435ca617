"""How an MCP server of the hub is started."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServerOptions:
    """What the person who starts the server allows.

    :param allow_write: offer the tools that ingest and delete.
    :param roots: folders from which files may be ingested; none, if there are none.
    :param token: the bearer token that every HTTP request must carry; None for no such check.
    :param shown_at: path at which the service beside it shows a document, with `{id}`; empty where there is none.
    """

    allow_write: bool = False
    roots: tuple[Path, ...] = ()
    token: str | None = None
    shown_at: str = ""
