"""Where the next page of a list begins, as a text that a client hands back unread."""

import base64
import binascii
import json

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS


def cursor_at(offset: int, of: str) -> str:
    """Return a cursor.

    :param offset: the first entry of the next page.
    :param of: what is listed; a cursor of another list is refused.
    """
    return base64.urlsafe_b64encode(json.dumps([offset, of], ensure_ascii=False).encode()).decode()


def offset_of(cursor: str | None, of: str) -> int:
    """Return where a page begins; 0 without a cursor.

    :param of: as for `cursor_at`.
    :raises MCPError: -32602, if the cursor is not one of this list.
    """
    if cursor is None:
        return 0
    try:
        offset, what = json.loads(base64.b64decode(cursor, altchars=b"-_", validate=True))
        if what == of and isinstance(offset, int) and offset > 0:
            return offset
    except (ValueError, TypeError, binascii.Error, RecursionError):
        pass
    raise MCPError(code=INVALID_PARAMS, message="Invalid cursor: take next_cursor of the page before, unchanged")
