"""Spreadsheets and delimited text as Markdown tables, without the noise of a data frame in between."""

import csv
import datetime
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import openpyxl
from markitdown import DocumentConverter, DocumentConverterResult, StreamInfo

_DELIMITERS = ",;\t|"
_SNIFFED_CHARACTERS = 20_000
_PICTURE_CELL = re.compile(r"=(_xlfn\.)?DISPIMG\(")


class SheetsConverter(DocumentConverter):
    """An Excel workbook: a `## Sheet` heading and one table for each sheet that has cells; values, not formulas."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".xlsx", ".xlsm"}

    def convert(
        self,
        file_stream: BinaryIO,
        stream_info: StreamInfo,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> DocumentConverterResult:
        """Read the cells as they were last calculated.

        :param file_stream: the workbook.
        :param stream_info: not used.
        :returns: the Markdown; dates as ISO 8601, empty rows and columns left out.
        """
        book = openpyxl.load_workbook(file_stream, read_only=True, data_only=True, keep_links=False)
        try:
            parts = []
            for sheet in book.worksheets:
                sheet.reset_dimensions()
                table = markdown_table(_rows(sheet.iter_rows(values_only=True)))
                if table:
                    parts.append(f"## {sheet.title}\n\n{table}")
            return DocumentConverterResult(markdown="\n\n".join(parts), title=book.properties.title)
        finally:
            book.close()


class DelimitedConverter(DocumentConverter):
    """Comma-, semicolon-, tab- or bar-separated text as one table."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".csv", ".tsv"}

    def convert(
        self,
        file_stream: BinaryIO,
        stream_info: StreamInfo,
        **kwargs: Any,  # noqa: ARG002
    ) -> DocumentConverterResult:
        """Read the rows; the first is the header.

        :param file_stream: the text, in UTF-8.
        :param stream_info: its `extension` settles the delimiter of a `.tsv` file.
        :returns: the Markdown table.
        """
        text = file_stream.read().decode("utf-8")
        delimiter = "\t" if stream_info.extension == ".tsv" else _delimiter(text)
        csv.field_size_limit(max(len(text), 131_072))
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return DocumentConverterResult(markdown=markdown_table(_rows(rows)))


def markdown_table(rows: Iterable[list[str]]) -> str:
    """Write rows as a Markdown table, without the columns that are empty in all of them.

    :param rows: cells as one-line text; the first row is the header; rows may differ in length.
    :returns: the table, or "" when there are no rows.
    """
    kept = list(rows)
    used = sorted({column for row in kept for column, cell in enumerate(row) if cell})
    lines = ["| " + " | ".join(row[c] if c < len(row) else "" for c in used) + " |" for row in kept]
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]]) if lines else ""


def _rows(rows: Iterable[Iterable[Any]]) -> Iterator[list[str]]:
    for row in rows:
        cells = [_cell(value) for value in row]
        if any(cells):
            yield cells


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    text = " ".join(str(value).split())
    return "" if _PICTURE_CELL.match(text) else text.replace("|", "\\|")


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SNIFFED_CHARACTERS], delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","
