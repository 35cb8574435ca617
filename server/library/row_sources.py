"""What the documents of a table's rows are called: `FILE#row=ID`; and from which file any document is."""

from khub.components.catalog.parts import file_of_part

ROW_MARK = "#row="


def file_of_row(source: str) -> str | None:
    """Return the file in which a row's document stands; None for a document that is no row."""
    path, mark, _ = source.partition(ROW_MARK)
    return path if mark else None


def file_of(source: str) -> str:
    """Return the file from which a document is: the table of a row, the mail of an attached file, or its own."""
    return file_of_part(source) or file_of_row(source) or source
