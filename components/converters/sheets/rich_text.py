"""Texts of cells in which some characters are raised."""

import io
from typing import Any

from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.cell import coordinate_to_tuple

from khub.components.converters.docx.spans import Span, lowered


def plain_value(value: Any) -> Any:
    """Return a value as openpyxl gives it, but rich text as text with its raised characters written so."""
    if not isinstance(value, CellRichText):
        return value
    return _written(
        [(str(part), isinstance(part, TextBlock) and part.font.vertAlign == "superscript") for part in value]
    )


def raised_inline_texts(sheet: bytes) -> dict[tuple[int, int], str]:
    """Find texts with raised characters in the cells themselves: openpyxl's fast mode keeps the looks of others only.

    :param sheet: the sheet's part.
    :returns: the texts by row and column, from 0.
    """
    if b"inlineStr" not in sheet or b"superscript" not in sheet:
        return {}
    found = {}
    for _, cell in etree.iterparse(io.BytesIO(sheet), tag="{*}c", resolve_entities=False, no_network=True):
        runs = [(run.findtext("{*}t") or "", _is_raised(run)) for run in cell.iterfind("{*}is/{*}r")]
        if any(raised for _, raised in runs):
            row, column = coordinate_to_tuple(cell.get("r"))
            found[row - 1, column - 1] = _written(runs)
        cell.clear()
    return found


def _is_raised(run: Any) -> bool:
    align = run.find("{*}rPr/{*}vertAlign")
    return align is not None and align.get("val") == "superscript"


def _written(runs: list[tuple[str, bool]]) -> str:
    return "".join(span.text for span in lowered([Span(text, raised=raised) for text, raised in runs]))
