"""The sentences of a document's running text, from its chunks."""

import re
from collections.abc import Sequence

from haystack import Document

from khub.components.enrichers.broken_lines import join_broken_lines
from khub.components.splitters.markdown_blocks import parse_blocks
from khub.components.text.sentence_ends import sentence_spans

_MARKUP = re.compile(
    r"\[IMAGE:[^\[\]]*+\]|!\[[^\[\]]*+\]\((?:(?!\]\()[^)])*+\)|\*\*|__|`|\[(?=[^\[\]]*+\]\()|\]\((?:(?!\]\()[^)])*+\)|^\s*+>\s?"
)
_LIST_MARK = re.compile(r"\A[ \t]*(?:[-*+•]|[0-9]{1,3}[.)、])[ \t]+")
_WHOLE = re.compile(r"[。！？.!?][”’」』）\"'\])]*$")


def running_text(chunks: Sequence[Document]) -> str:
    """Return the text of chunks in reading order, what they repeat of each other left out.

    :param chunks: chunks of one document, in order.
    """
    parts, reached = [], -1
    for chunk in chunks:
        text = chunk.content or ""
        start, end = chunk.meta.get("start"), chunk.meta.get("end")
        # of a chunk whose text was changed, nobody knows which part it shares with the one before it
        if isinstance(start, int) and isinstance(end, int) and end - start == len(text):
            parts.append(text[max(0, reached - start) :])
            reached = max(reached, end)
        else:
            parts.append(text)
    return "\n\n".join(part for part in parts if part.strip())


def sentences(text: str) -> list[str]:
    """Return the whole sentences of a Markdown text's paragraphs and lists, without marks, each once.

    Headings, tables, code, and lines that do not end as a sentence does are left out.

    :param text: Markdown, Chinese or English.
    """
    text = join_broken_lines(text)
    found: dict[str, None] = {}
    for block in parse_blocks(text):
        if block.kind == "text":
            paragraph = text[block.start : block.end]
            for start, end in sentence_spans(paragraph):
                said = _LIST_MARK.sub("", paragraph[start:end], count=1)
                sentence = " ".join(_MARKUP.sub("", said).split())
                if _WHOLE.search(sentence):
                    found[sentence] = None
    return list(found)
