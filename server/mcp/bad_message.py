"""The answer to a line that is no JSON-RPC message."""

import json
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR


def reply_to_bad_message(line: str) -> str:
    """Return an error as one line of JSON: -32700 for what is no JSON, -32600 for JSON that is no message.

    :param line: what has come in.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error: send one JSON-RPC message a line")
    given = message.get("id") if isinstance(message, dict) else None
    known = isinstance(given, str | int) and not isinstance(given, bool)
    return _error(given if known else None, INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 message")


def _error(request_id: str | int | None, code: int, message: str) -> str:
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
    return json.dumps(reply)
