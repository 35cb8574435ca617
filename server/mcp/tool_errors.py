"""What a tool says when it cannot do what it was asked."""

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError

from components.disk_full import told_when_full
from components.errors import KhubError
from components.home import hub_home


@contextmanager
def told_to_the_model() -> Iterator[None]:
    """Turn the hub's own errors into tool errors, which a model reads and can act on; others are crashes."""
    try:
        with told_when_full(hub_home()):
            yield
    except KhubError as error:
        from components.text.hidden_characters import on_one_line

        raise ToolError(on_one_line(str(error))) from error
