"""What the documents of a table's rows are called: `FILE#row=ID`."""

ROW_MARK = "#row="


def file_of_row(source: str) -> str | None:
    """Return the file in which a row's document stands; None for a document that is no row."""
    path, mark, _ = source.partition(ROW_MARK)
    return path if mark else None
