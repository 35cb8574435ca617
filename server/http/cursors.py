"""Where the next page of a list begins, as a text that a client hands back unread."""

import base64
import hashlib
import json
from typing import Any

from khub.components.errors import QueryError

MOST_CHARACTERS = 4000
LARGEST = 2**63


def cursor_at(position: tuple[str | int, ...], of: Any) -> str:
    """Return a cursor.

    :param position: of the last entry of the page.
    :param of: what is listed, and how, as JSON can hold it; a cursor of another list is refused.
    """
    return base64.urlsafe_b64encode(json.dumps([_mark(of), *position]).encode()).decode()


def position_of(cursor: str | None, of: Any, *kinds: type) -> tuple[Any, ...] | None:
    """Return the position in a cursor; None where there is none.

    :param of: as for `cursor_at`.
    :param kinds: of the parts of a position of that list.
    :raises QueryError: if it is not one of this list.
    """
    if cursor is None:
        return None
    try:
        mark, *position = json.loads(base64.b64decode(cursor, altchars=b"-_", validate=True))
        if mark == _mark(of) and len(position) == len(kinds) and all(map(_fits, position, kinds)):
            return tuple(position)
    except (ValueError, TypeError, RecursionError):
        pass
    raise QueryError("the cursor is not one of this list", "take next_cursor of the page before, with the same query")


def _mark(of: Any) -> str:
    return hashlib.sha256(json.dumps(of, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _fits(value: Any, kind: type) -> bool:
    if type(value) is not kind:
        return False
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, int) and -LARGEST <= value < LARGEST
