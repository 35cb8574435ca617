"""What a model and the keyword index read of a chunk; what is shown is the chunk's content alone."""

import re
from pathlib import PurePath

from haystack import Document

_PICTURE = re.compile(r"^\[IMAGE: [^\]\n]*\]\n*", re.MULTILINE)  # its id says nothing


def embedded_text(chunk: Document) -> str:
    """Return the text that is embedded: the document's title, the chunk's heading path, table header and content.

    The file's name stands in for the title only where the document has none, so that renaming a file keeps its vectors.
    """
    title = chunk.meta.get("title") or file_words(chunk)
    return _joined(chunk, title)


def indexed_text(chunk: Document) -> str:
    """Return the text of the keyword index: file name, title, names defined, heading path, table header and content."""
    return _joined(chunk, file_words(chunk), chunk.meta.get("title") or "", *chunk.meta.get("symbols") or ())


def file_words(chunk: Document) -> str:
    """Return the words of the file's name without its extension."""
    name = PurePath(str(chunk.meta.get("source") or "").replace("\\", "/")).name
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return re.sub(r"[_\-.\s]+", " ", stem).strip()


def _joined(chunk: Document, *heads: str) -> str:
    content = chunk.content or ""
    if "[IMAGE: " in content:
        content = _PICTURE.sub("", content)
    parts = [*heads, chunk.meta.get("section") or "", chunk.meta.get("table_header") or "", content]
    return "\n".join(part for part in parts if part)
