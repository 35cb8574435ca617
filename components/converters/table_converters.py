"""Spreadsheets and delimited text as Markdown tables, behind MarkItDown's front door."""

import csv
import io
from typing import Any, BinaryIO

from markitdown import DocumentConverter, StreamInfo

from khub.components.converters.office.package import Package
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.office.properties import read_properties
from khub.components.converters.separator_line import without_separator_line
from khub.components.converters.sheets.cells import CellReader
from khub.components.converters.sheets.comments import comment_lines, read_comments
from khub.components.converters.sheets.drawings import sheet_drawings
from khub.components.converters.sheets.rows import filled_rows, spread_merged
from khub.components.converters.sheets.shown_value import shown
from khub.components.converters.sheets.tables import sheet_markdown
from khub.components.converters.sheets.workbook import list_sheets, merged_ranges
from khub.components.converters.structured_result import StructuredResult

_NOT_CALCULATED = "values of formulas that the file does not hold"
_DELIMITERS = ",;\t|"
_SNIFFED_CHARACTERS = 20_000


class SheetsConverter(DocumentConverter):
    """An Excel workbook: a `## Sheet` heading for each sheet in which something stands, and its tables.

    Values, not formulas, as the sheet shows them; a formula where the file does not hold its value. Comments stand
    below the tables. Hidden sheets, rows and columns are marked; a sheet that only a program can show is left out.
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
        reader = CellReader(data)
        try:
            parts = []
            for sheet in list_sheets(package):
                if sheet.state == "veryHidden":
                    continue
                xml = package.read(sheet.part) or b""
                rows = spread_merged(reader.read(sheet.name, xml), merged_ranges(xml))
                comments = comment_lines(read_comments(package, sheet.part), rows)
                blocks = [sheet_markdown(rows), *comments, *sheet_drawings(package, sheet.part, pictures)]
                if any(blocks):
                    hidden = " (hidden sheet)" if sheet.state == "hidden" else ""
                    parts.append("\n\n".join([f"## {sheet.name}{hidden}", *filter(None, blocks)]))
        finally:
            reader.close()
        return StructuredResult(
            "\n\n".join(parts),
            title=title,
            metadata=metadata,
            pictures=pictures.pictures,
            heading_is_title=False,
            removed={_NOT_CALCULATED: reader.not_calculated},
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


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SNIFFED_CHARACTERS], delimiters=_DELIMITERS).delimiter
    except csv.Error:
        return ","
