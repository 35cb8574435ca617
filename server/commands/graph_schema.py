"""`khub graph schema`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from khub.components.errors import FileError
from khub.server.terminal import tell, write_json


def graph_schema(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it to a file.", show_default=False)
    ] = None,
) -> None:
    """Write a JSON Schema of graphs, by which YAML editors complete and check them; stderr says how to switch it on."""
    from khub.server.graphs import schema

    found = schema.graph_schema()
    if out is None:
        write_json(found)
    else:
        try:
            out.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise FileError(f"'{out}' cannot be written", error.strerror or str(error)) from error
    place = (out or Path("graph.schema.json")).absolute()
    tell("VS Code with the YAML extension: first line of a graph", f"# yaml-language-server: $schema={place.as_uri()}")
    tell("or for all graphs in .vscode/settings.json", f'"yaml.schemas": {{"{place.as_uri()}": "pipelines/**/*.yaml"}}')
