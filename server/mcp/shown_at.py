"""Where a person can look at a document that a tool names."""

from typing import Any
from urllib.parse import quote

from mcp.server.mcpserver import Context

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.found_metadata import GIVEN
from khub.components.text.shown_address import shown_address
from khub.server.mcp.links import DOCUMENT, address

WEB = ("https://", "http://")


def origin_of(row: DocumentRow) -> str | None:
    """Return the address on the web that a document came from; None where nobody but its own file says one.

    A file may hold any address: only one that was given with it, by a person or by what fetched it, is taken.
    """
    url = str(row["meta"].get("url") or "")
    return shown_address(url) if url.startswith(WEB) and "url" in row["meta"].get(GIVEN, {}) else None


def shown_at(row: DocumentRow, context: Context[Any, Any], path: str) -> str:
    """Return the address of a document: where it came from, else where this hub shows it; never a path of the machine.

    :param context: of the call: its request says by which name the client reaches the service.
    :param path: at which the service shows a document, with `{id}`; empty where it shows none.
    """
    request = context.request_context.request
    if origin := origin_of(row):
        return origin
    if request is None or not path:
        return address(DOCUMENT, id=row["doc_id"])
    return f"{request.url.scheme}://{request.url.netloc}{path.format(id=quote(row['doc_id'], safe=''))}"
