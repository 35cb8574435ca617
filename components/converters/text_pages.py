"""Pages of a plain text: printers and RFCs begin each with a form feed."""

from typing import Any

_BREAK = "\f"


def with_pages(text: str) -> dict[str, Any]:
    """Return a text with line feeds for its form feeds and, where it has pages, `page_starts` and `page_count`.

    A form feed before all text or behind it begins no page.
    """
    starts = [0]
    for at, character in enumerate(text):
        if character == _BREAK and text[starts[-1] : at].strip():
            starts.append(at + 1)
    if not text[starts[-1] :].strip():
        starts.pop()
    lines = text.replace(_BREAK, "\n")
    return {"text": lines, "page_starts": starts, "page_count": len(starts)} if len(starts) > 1 else {"text": lines}
