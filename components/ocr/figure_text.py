"""The words of a figure as a short paragraph."""

import re
from collections.abc import Sequence

from khub.components.ocr.text_line import TextLine
from khub.components.text.figure_words import FIGURE_LABELS
from khub.components.text.language import detect_language

_SEPARATORS = {"zh": "；", "en": "; "}
_LONGEST = 500  # well below a chunk, so that no part of it loses the label
_FEWEST_CHARACTERS = 6
_SIGN = re.compile(r"[\W_]+")


def figure_text(lines: Sequence[TextLine]) -> str:
    """Return all words of a figure, in one line."""
    return _joined([line.text for line in lines])


def figure_paragraph(lines: Sequence[TextLine], around: str) -> str:
    """Return Markdown quotations with the words of a figure that its page does not say already.

    :param lines: what was read in it.
    :param around: the text of the page.
    :returns: `> Text in the image: …`, in Chinese where the words are Chinese, several ones where there are many; ""
        when too little is new.
    """
    known = _bare(around)
    new = [line.text for line in lines if _bare(line.text) and _bare(line.text) not in known]
    if len(_bare("".join(new))) < _FEWEST_CHARACTERS:
        return ""
    parts: list[list[str]] = []
    for text in new:
        if parts and sum(map(len, parts[-1])) + len(text) <= _LONGEST:
            parts[-1].append(text)
        else:
            parts.append([text])
    label = FIGURE_LABELS[_language(_joined(new))]
    return "\n\n".join(f"> {label}{_joined(part)}" for part in parts)


def _joined(texts: Sequence[str]) -> str:
    return _SEPARATORS[_language(" ".join(texts))].join(" ".join(text.split()) for text in texts)


def _language(text: str) -> str:
    return "zh" if detect_language(text) == "zh" else "en"


def _bare(text: str) -> str:
    return _SIGN.sub("", text).casefold()
