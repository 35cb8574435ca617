"""`khub graph list`."""

import sys
from typing import TYPE_CHECKING

from khub.components.text.hidden_characters import on_one_line
from khub.server.commands.graph_row import GraphRow
from khub.server.commands.options import JsonOption
from khub.server.terminal import tell, write_json, write_line, write_table

if TYPE_CHECKING:
    from khub.server.graphs.load import GraphInfo


def graph_list(as_json: JsonOption = False) -> None:
    """List the graphs: what each needs and returns (* must be given), and its file."""
    from khub.server.graphs.folder import graph_folder
    from khub.server.graphs.load import list_graphs, shown_path

    rows = [_described(info) for info in list_graphs()]
    if as_json:
        write_json({"folder": str(graph_folder()), "graphs": rows})
        return
    if not rows:
        tell(f"there are no graphs in {graph_folder()}", "name their folder by KHUB_PIPELINES")
        return
    if sys.stdout.isatty():
        for row in rows:
            _show(row)
        return
    write_table(
        ("name", "kind", "needs", "returns", "file", "description"),
        [
            (row["name"], row["kind"], _needs(row), ", ".join(row["outputs"]), shown_path(row["path"]), _said_of(row))
            for row in rows
        ],
    )


def _show(row: GraphRow) -> None:
    """Write a paragraph: beside so many columns none would have room on a terminal."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from khub.server.graphs.load import shown_path

    lines = [_said_of(row), shown_path(row["path"])]
    if not row["error"]:
        lines.insert(1, f"needs {_needs(row)}; returns {', '.join(row['outputs'])}")
    write_line(f"{row['name']} ({row['kind'] or 'no kind'})")
    Console(file=sys.stdout).print(Padding(Text("\n".join(map(on_one_line, lines))), (0, 0, 0, 2), expand=False))


def _needs(row: GraphRow) -> str:
    return ", ".join(f"{name}*" if name in row["required"] else name for name in row["inputs"])


def _described(info: "GraphInfo") -> GraphRow:
    from khub.components.errors import GraphError
    from khub.server.graphs.load import load_graph

    try:
        graph = load_graph(str(info.path))
    except GraphError as error:
        return _row(info, [], [], [], str(error))
    required = [name for name in graph.inputs if name in graph.required]
    return _row(info, list(graph.inputs), required, list(graph.outputs), None)


def _row(info: "GraphInfo", inputs: list[str], required: list[str], outputs: list[str], error: str | None) -> GraphRow:
    return {
        "name": info.name,
        "path": info.path,
        "kind": info.kind,
        "description": info.description,
        "inputs": inputs,
        "required": required,
        "outputs": outputs,
        "error": error,
    }


def _said_of(row: GraphRow) -> str:
    return f"cannot be used, see: khub graph check {row['name']}" if row["error"] else str(row["description"])
