"""Where in its file a passage stands, in the few words that commands and tools show."""


def in_the_file(page: int | None, time_mark: str | None) -> str:
    """Return `, page 3`, or `, [12:40]` of a recording; nothing where the file has neither."""
    if time_mark:
        return f", [{time_mark}]"
    return f", page {page}" if page is not None else ""
