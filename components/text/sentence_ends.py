"""Where the sentences of a line end, in Chinese and English."""

import re

_END = re.compile(
    r"(?<=[。！？；!?])[”’」』）\"')\]]*"
    r"|(?<=[.;])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9\u3400-\u9fff])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Sec|Ch|vs|cf|e\.g|i\.e|etc|approx|ca|Inc|Ltd|Co|Jan|Feb|Mar|Apr|Jun"
    r"|Jul|Aug|Sept?|Oct|Nov|Dec)|\b[A-Z]|(?:^|\s)\d{1,2})\.$"
)


def split_sentences(line: str) -> list[str]:
    """Split one line into sentences, the mark at the end being kept.

    :param line: text without line breaks.
    :returns: the sentences, stripped, none of them empty; `e.g.`, `Ms.`, initials and numbers of lists end none.
    """
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(line):
        closing = line[end.start() : end.end()].strip()
        sentence = line[start : end.start()] + closing
        if not sentence.strip() or _ABBREVIATION.search(sentence):
            continue
        sentences.append(sentence.strip())
        start = end.end()
    rest = line[start:].strip()
    return [*sentences, rest] if rest else sentences
