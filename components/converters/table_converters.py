"""Spreadsheets and delimited text as Markdown tables, behind MarkItDown's front door."""

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import openpyxl
from markitdown import DocumentConverter, StreamInfo

from components.converters.office.package import Package
from components.converters.office.pictures import PictureCollector
from components.converters.office.properties import read_properties
from components.converters.separator_line import without_separator_line
from components.converters.sheets.drawings import sheet_drawings
from components.converters.sheets.shown_value import shown
from components.converters.sheets.tables import Row, Value, filled_rows, sheet_markdown, spread_merged
from components.converters.sheets.workbook import list_sheets, merged_ranges
from components.converters.structured_result import StructuredResult

_DELIMITERS = ",;\t|"
_SNIFFED_CHARACTERS = 20_000


class SheetsConverter(DocumentConverter):
    """An Excel workbook: a `## Sheet` heading for each sheet in which something stands, and its tables.

    Values, not formulas, as the sheet shows them. A hidden sheet is marked; one that only a program can show is left
    out, and so are comments.
    """

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".xlsx", ".xlsm"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the cells as they were last calculated.

        :param file_stream: the workbook.
        :param stream_info: its `filename` is used in messages.
        :returns: the Markdown, the title and metadata of the properties, and the pictures.
        :raises SourceError: when the file lacks its workbook.
        """
        data = file_stream.read()
        package = Package(data, stream_info.filename or "the file")
        title, metadata = read_properties(package)
        pictures = PictureCollector()
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            cells = {sheet.title: sheet for sheet in book.worksheets}
            parts = []
            for sheet in list_sheets(package):
                if sheet.state == "veryHidden":
                    continue
                rows = _rows(cells[sheet.name]) if sheet.name in cells else []
                text = sheet_markdown(spread_merged(rows, merged_ranges(package, sheet.part)))
                blocks = [block for block in (text, *sheet_drawings(package, sheet.part, pictures)) if block]
                if blocks:
                    hidden = " (hidden sheet)" if sheet.state == "hidden" else ""
                    parts.append("\n\n".join([f"## {sheet.name}{hidden}", *blocks]))
        finally:
            book.close()
        return StructuredResult(
            "\n\n".join(parts), title=title, metadata=metadata, pictures=pictures.pictures, heading_is_title=False
        )


class DelimitedConverter(DocumentConverter):
    """Comma-, semicolon-, tab- or bar-separated text, read like a sheet."""

    def accepts(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> bool:  # noqa: ARG002
        """Accept by extension alone."""
        return stream_info.extension in {".csv", ".tsv"}

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **kwargs: Any) -> StructuredResult:  # noqa: ARG002
        """Read the rows.

        :param file_stream: the text, in UTF-8.
        :param stream_info: its `extension` settles the delimiter of a `.tsv` file.
        :returns: the Markdown.
        """
        text, delimiter = without_separator_line(file_stream.read().decode("utf-8"))
        delimiter = delimiter or ("\t" if stream_info.extension == ".tsv" else _delimiter(text))
        csv.field_size_limit(max(len(text), 131_072))
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        cells = filled_rows([shown(value) for value in row] for row in rows)
        return StructuredResult(sheet_markdown(cells), heading_is_title=False)


def _rows(sheet: Any) -> list[Row]:
    sheet.reset_dimensions()
    return [row for row in _filled(sheet) if row[1]]


def _filled(sheet: Any) -> Iterator[Row]:
    for number, row in enumerate(sheet.iter_rows()):
        cells = {}
        for column, cell in enumerate(row):
            if cell.value is not None and (text := shown(cell.value, cell.number_format)):
                cells[column] = Value(text)
        yield number, cells


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SNIFFED_CHARACTERS], delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","
