"""What a model and the keyword index read of a chunk; what is shown is the chunk's content alone."""

import re

from haystack import Document

from components.text.sentence_ends import sentence_spans

_PICTURE = re.compile(r"^\[IMAGE: [^\]\n]*\]\n*", re.MULTILINE)  # its id says nothing


def embedded_text(chunk: Document) -> str:
    """Return the text that is embedded: the document's title, the chunk's heading path, table header and content.

    The file's name stands in for the title only where the document has none, so that renaming a file keeps its vectors.
    """
    return _joined(chunk, _title(chunk))


def embedded_parts(chunk: Document) -> list[str]:
    """Return `embedded_text` in parts: what stands above the content, which may be "", and then each sentence."""
    content = _content(chunk)
    sentences = (content[start:end] for start, end in sentence_spans(content))
    return ["\n".join(_heads(chunk, _title(chunk))), *filter(str.strip, sentences)]


def indexed_text(chunk: Document) -> str:
    """Return the text of the keyword index: file name, title, names defined, heading path, table header and content."""
    return _joined(chunk, file_words(chunk), chunk.meta.get("title") or "", *chunk.meta.get("symbols") or ())


def file_words(chunk: Document) -> str:
    """Return the words of the file's name without its extension."""
    name = str(chunk.meta.get("source") or "").replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return re.sub(r"[_\-.\s]+", " ", stem).strip()


def _title(chunk: Document) -> str:
    return chunk.meta.get("title") or file_words(chunk)


def _joined(chunk: Document, *titles: str) -> str:
    return "\n".join(part for part in (*_heads(chunk, *titles), _content(chunk)) if part)


def _heads(chunk: Document, *titles: str) -> list[str]:
    return [part for part in (*titles, chunk.meta.get("section"), chunk.meta.get("table_header")) if part]


def _content(chunk: Document) -> str:
    content = chunk.content or ""
    return _PICTURE.sub("", content) if "[IMAGE: " in content else content
