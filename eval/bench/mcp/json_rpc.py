"""Messages of JSON-RPC."""

from typing import Any, TypedDict


class Message(TypedDict, total=False):
    """A request, a notification, or a reply, with `result` or `error`."""

    jsonrpc: str
    id: int
    method: str
    params: dict[str, Any]
    result: dict[str, Any]
    error: Any


Asked = tuple[str, dict[str, Any]]
"""Method and parameters of a request."""
