"""What a model and the keyword index read of a chunk; what is shown is the chunk's content alone."""

import re

from haystack import Document

from khub.components.text.figure_words import without_figure_words
from khub.components.text.heading_path import telling_path
from khub.components.text.leaders import without_leaders
from khub.components.text.link_targets import without_addresses
from khub.components.text.naming import file_words
from khub.components.text.sentence_ends import sentence_spans
from khub.components.text.table_text import plain_rows

_PICTURE = re.compile(r"^\[IMAGE: [^\[\]\n]*+\]\n*+", re.MULTILINE)  # its id says nothing


def embedded_text(chunk: Document) -> str:
    """Return the text that is embedded: the document's title, the chunk's heading path, table heads and content.

    Of links their words are left, of addresses the hosts (the keyword index has them whole), of tables the cells.
    The file's name stands in for the title only where the document has none, so that renaming a file keeps its vectors.
    """
    return _said(_joined(_title(chunk), *_heads(chunk), _content(chunk)))


def embedded_parts(chunk: Document) -> list[str]:
    """Return `embedded_text` in parts: what stands above the content, which may be "", and then each sentence."""
    content = without_addresses(_content(chunk))  # a row with its marks is a sentence
    sentences = (plain_rows(content[start:end]) for start, end in sentence_spans(content))
    return [_said(_joined(_title(chunk), *_heads(chunk))), *filter(str.strip, sentences)]


def indexed_text(chunk: Document) -> str:
    """Return the text of the keyword index: file name, title, names defined, heading path, table heads and content."""
    names = (_file_words(chunk), str(chunk.meta.get("title") or ""), *(chunk.meta.get("symbols") or ()))
    return _joined(*names, *_heads(chunk), _whole_content(chunk))


def _said(text: str) -> str:
    return plain_rows(without_addresses(text))


def _title(chunk: Document) -> str:
    return str(chunk.meta.get("title") or _file_words(chunk))


def _file_words(chunk: Document) -> str:
    return file_words(str(chunk.meta.get("source") or ""))


def _heads(chunk: Document) -> list[str]:
    """Return what stands between title and content: the heading path, and the heads of a table that goes on."""
    meta = chunk.meta
    return [
        telling_path(str(meta.get("section") or "")),
        str(meta.get("table_caption") or ""),
        str(meta.get("table_header") or ""),
    ]


def _joined(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _content(chunk: Document) -> str:
    """Return what says what the chunk is about: the words in its pictures only where it has no others."""
    content = _whole_content(chunk)
    return without_figure_words(content) or content


def _whole_content(chunk: Document) -> str:
    content = chunk.content or ""
    if "[IMAGE: " in content:
        content = _PICTURE.sub("", content)
    return without_leaders(content)
