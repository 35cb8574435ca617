"""Captions in the text of chunks: where a picture stands, what is put there, and what a poor one is."""

import re
from collections.abc import Sequence

from haystack import Document

from khub.components.catalog.picture import DocumentPicture
from khub.components.text.language import detect_language, may_be_same
from khub.components.text.tokenizer import tokenize

AROUND_CHARACTERS = 600
"""Of the text before and of the text behind a picture, at most."""
MIN_WORDS = 6
"""Different words of a caption; one with fewer says nothing."""
MIN_PARAGRAPH = 40
"""In characters: a chunk with less besides its pictures borrows the paragraph of its neighbour."""

ANCHOR = re.compile(r"\[IMAGE:[^\[\]\n]*+\]")
_REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:cannot|can't|can not)|as an AI|no image|unable to (?:see|view))"
    r"|抱歉|对不起|无法(?:查看|看到|识别|描述)|看不到(?:图|任何)|作为(?:一个)?(?:AI|人工智能)|没有(?:提供|上传)图",
    re.IGNORECASE,
)


def anchor_of(image_id: str) -> str:
    """Return the mark that stands in the text in the place of a picture."""
    return f"[IMAGE: {image_id}]"


def stitched(content: str, image_id: str, caption: str) -> str:
    """Put a caption on the line behind each mark of a picture; at the end where the chunk has no mark of it.

    Behind a mark that stands in a table or in a sentence it follows on the same line, in brackets.
    """
    anchor = anchor_of(image_id)
    if anchor not in content:
        return f"{content.rstrip()}\n\n{anchor}\n{caption}"
    lines = (
        line.replace(anchor, f"{anchor}\n{caption}" if line.strip() == anchor else f"{anchor}{_inside(caption)}")
        for line in content.split("\n")
    )
    return "\n".join(lines)


def unstitched(chunk: Document) -> str:
    """Return a chunk's text without the captions that an earlier run has put in."""
    content = chunk.content or ""
    for image_id, caption in (chunk.meta.get("captions") or {}).items():
        anchor = anchor_of(image_id)
        content = content.replace(f"\n\n{anchor}\n{caption['text']}", "") if caption.get("appended") else content
        content = content.replace(f"{anchor}\n{caption['text']}", anchor)
        content = content.replace(f"{anchor}{_inside(caption['text'])}", anchor)
    return content


def text_around(contents: Sequence[str], index: int, image_id: str) -> str:
    """Return the text on both sides of a picture, without the marks of pictures.

    :param contents: texts of a document's chunks.
    :param index: of the chunk with the picture; the chunks next to it help where it has hardly any text of its own.
    """
    before, _, after = contents[index].partition(anchor_of(image_id))
    if len(ANCHOR.sub("", contents[index]).strip()) < MIN_PARAGRAPH:
        before = "\n\n".join([*contents[max(0, index - 1) : index], before])
        after = "\n\n".join([after, *contents[index + 1 : index + 2]])
    sides = (before[-AROUND_CHARACTERS:], after[:AROUND_CHARACTERS])
    return "\n\n".join(side for side in (ANCHOR.sub("", side).strip() for side in sides) if side)


def caption_by_rules(image: DocumentPicture, content: str, around: str) -> str:
    """Return what is known of a picture without looking at it.

    :param content: the chunk: what it says already is not said again.
    :param around: the paragraphs next to the picture.
    """
    said = set(tokenize(content))
    lines = (line for line in image.text.splitlines() if not set(tokenize(line)) <= said)
    parts = [image.picture.caption, image.picture.alt, " ".join(" ".join(lines).split())]
    if len(ANCHOR.sub("", content).strip()) < MIN_PARAGRAPH:
        parts.append(" ".join(around.split()))
    kept: list[str] = []
    for part in parts:
        if part.strip() and part not in content and not any(part in other for other in kept):
            kept.append(part.strip())
    return "\n".join(kept)


def _inside(caption: str) -> str:
    words = " ".join(caption.split()).replace("|", "\\|")
    return f" ({words})"


def is_poor(caption: str, language: str | None) -> bool:
    """Say whether a caption is of little use: too short, a refusal, repetitive, or in another language.

    :param language: of the chunk.
    """
    words = tokenize(caption)
    different = len(set(words))
    if different < MIN_WORDS or _REFUSAL.search(caption) or different * 4 < len(words):
        return True
    return not may_be_same(detect_language(caption), language)
