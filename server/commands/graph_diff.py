"""`khub graph diff`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khub.server.commands.options import JsonOption
from khub.server.terminal import tell, write_json, write_line

if TYPE_CHECKING:
    from khub.server.graphs.diff import Difference


def graph_diff(
    old: Annotated[str, typer.Argument(metavar="A", help="Name of a graph, or a file.")],
    new: Annotated[str, typer.Argument(metavar="B", help="Name of a graph, or a file.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two graphs by meaning: the order of keys, comments and written-out defaults do not count."""
    from khub.server.graphs.diff import diff_graphs
    from khub.server.graphs.load import find_graph

    differences = diff_graphs(find_graph(old), find_graph(new))
    if as_json:
        from dataclasses import asdict

        write_json({"same": not differences, "differences": [asdict(difference) for difference in differences]})
        return
    if not differences:
        tell("the graphs mean the same")
    for difference in differences:
        write_line(_line(difference))


def _line(difference: "Difference") -> str:
    start = f"{difference.sign} {difference.what} {difference.name}"
    if difference.what == "connection":
        return start
    if difference.sign == "~":
        return f"{start}: {_shown(difference.old)} -> {_shown(difference.new)}"
    return f"{start}: {_shown(difference.new if difference.sign == '+' else difference.old)}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
