"""The words that OCR has read in a figure, where they stand in a document's text."""

import re

FIGURE_LABELS = {"zh": "图中文字：", "en": "Text in the image: "}
"""What stands before such words, by their language, in a quotation of their own."""
_QUOTATION = re.compile(rf"^> (?:{'|'.join(map(re.escape, FIGURE_LABELS.values()))}).*+\n*+", re.MULTILINE)


def without_figure_words(text: str) -> str:
    """Return text without them: they belong to the picture, and say less than what is written about it.

    :param text: Markdown.
    :returns: the rest; "" where there is nothing else.
    """
    return _QUOTATION.sub("", text).rstrip("\n") if "\n> " in text or text.startswith("> ") else text
