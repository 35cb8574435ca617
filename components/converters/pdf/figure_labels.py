"""The words that stand in a drawing: labels of axes and boxes, which say something only with the picture."""

from collections.abc import Sequence
from statistics import mean

from khub.components.converters.pdf.drafts import Draft, draft_of
from khub.components.converters.pdf.layout import Segment
from khub.components.converters.pdf.lines import Line, line_parts, to_lines
from khub.components.text.figure_words import FIGURE_LABELS
from khub.components.text.language import detect_language

_LONGEST_LABEL = 20
_LONGEST_QUOTATION = 500
_SEPARATORS = {"zh": "；", "en": "; "}


def figure_words(number: int, inside: Sequence[Segment]) -> Draft:
    """Return the words of a drawing as one block: its labels, or a paragraph where it holds whole sentences.

    :param number: of the page, from 1.
    """
    lines = to_lines(segment for segment in inside if not segment.angle)
    lines += [Line([segment]) for segment in inside if segment.angle]
    parts = [part for line in lines for part in line_parts(line)]
    if mean(len(part.text) for part in parts) > _LONGEST_LABEL:
        return draft_of("paragraph", number, lines)
    return draft_of("labels", number, parts)


def labels_markdown(lines: Sequence[Line]) -> str:
    """Return labels as the words of a picture are written: as quotations that say so."""
    texts = [line.text for line in lines if line.text]
    language = "zh" if detect_language(" ".join(texts)) == "zh" else "en"
    quotations: list[list[str]] = []
    for text in texts:
        if quotations and sum(map(len, quotations[-1])) + len(text) <= _LONGEST_QUOTATION:
            quotations[-1].append(text)
        else:
            quotations.append([text])
    return "\n\n".join(f"> {FIGURE_LABELS[language]}{_SEPARATORS[language].join(part)}" for part in quotations)
