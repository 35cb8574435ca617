"""Notebooks as IPython saved them before Jupyter (format 3)."""

from typing import Any

_KINDS = {
    "png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml", "html": "text/html", "latex": "text/latex",
    "text": "text/plain", "json": "application/json", "javascript": "application/javascript",
}  # fmt: skip


def as_format_4(book: dict[str, Any]) -> dict[str, Any]:
    """Return what is read of a notebook in the form of format 4.

    :raises KeyError: when a cell lacks its parts.
    """
    cells = [cell for sheet in book["worksheets"] for cell in sheet["cells"]]
    language = next((cell["language"] for cell in cells if "language" in cell), "python")
    metadata = {**book.get("metadata", {}), "language_info": {"name": language}}
    return {"metadata": metadata, "cells": list(map(_cell, cells))}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    kind = cell["cell_type"]
    if kind == "heading":
        source = " ".join("".join(cell["source"]).split())
        return {"cell_type": "markdown", "source": f"{'#' * int(cell.get('level', 1))} {source}"}
    source = cell["input"] if kind == "code" else cell["source"]
    return {"cell_type": kind, "source": source, "outputs": list(map(_output, cell.get("outputs", ())))}


def _output(output: dict[str, Any]) -> dict[str, Any]:
    kind = {"pyerr": "error", "pyout": "execute_result"}.get(output["output_type"], output["output_type"])
    if kind in ("stream", "error"):
        return {**output, "output_type": kind}
    return {"output_type": kind, "data": {_KINDS[key]: value for key, value in output.items() if key in _KINDS}}
