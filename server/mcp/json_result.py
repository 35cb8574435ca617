"""The result of a tool whose clients read JSON: the same as data and as text."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent


def json_result(data: Mapping[str, Any]) -> CallToolResult:
    """Return a result with one text, the JSON of its data.

    :param data: as the output schema has it; nothing in its texts is live for a client that draws them.
    """
    text = json.dumps(data, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content={**data})
