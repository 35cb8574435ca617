"""A tool that takes its own arguments alone: one that it does not know is a mistake, and is said to be one."""

from collections.abc import Callable
from inspect import get_annotations
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from khub.components.value import Value, adapter
from khub.server.mcp.plain_schema import lean_schema, plain_schema, without_titles

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Hints of a tool that changes nothing and looks at nothing but the hub."""
_made: dict[Callable[..., Any], Tool] = {}
"""By function: making its schemas takes long, and a service has two servers."""


def closed_tool(
    function: Callable[..., Any], title: str, description: str, annotations: ToolAnnotations = READ_ONLY
) -> Tool:
    """Return a tool of a function, with schemas that every client takes.

    :param function: its name, parameters and return type make the tool's name and schemas.
    :param title: the name that people see.
    :param description: when to use the tool, and when not.
    :param annotations: what it changes.
    """
    own = getattr(function, "__func__", function)
    if own not in _made:
        _made[own] = _tool_of(function, description)
    of_call = {"fn": function, "title": title, "description": description, "annotations": annotations}
    return _made[own].model_copy(update=of_call)


def _tool_of(function: Callable[..., Any], description: str) -> Tool:
    returned = get_annotations(function, eval_str=True)["return"].__metadata__[0]
    is_value = issubclass(returned, Value)  # of a dataclass, the SDK would make a model that requires all fields
    tool = Tool.from_function(function, description=description, structured_output=False if is_value else None)
    tool.parameters = plain_schema(tool.parameters)
    if is_value:
        tool.fn_metadata.output_model = returned
        tool.fn_metadata.output_schema = lean_schema(adapter(returned).json_schema())
    else:
        tool.fn_metadata.output_schema = without_titles(tool.fn_metadata.output_schema)
    return tool


def refuse_unknown_arguments(tool: Tool, arguments: dict[str, Any]) -> None:
    """Hold a call to the tool's own arguments; the SDK would leave out what it does not know.

    :raises ToolError: naming the arguments that there are.
    """
    known = tool.parameters.get("properties", {})
    unknown = [name for name in arguments if name not in known]
    if unknown:
        shown = ", ".join(repr(name[:50]) for name in unknown[:5])
        raise ToolError(f"{tool.name} has no argument {shown}: it has {', '.join(known) or 'none'}")
