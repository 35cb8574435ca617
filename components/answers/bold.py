"""Mark a sentence in quoted Markdown."""

import re

LINE_HEAD = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s+)*")
FENCE = re.compile(r"^[^\S\n]*+(?:`{3,}|~{3,}).*$", re.MULTILINE)
BAR = re.compile(r"(?<!\\)\|")


def with_bold(text: str, sentence: str) -> str:
    """Return the text with the sentence in bold, or as it is where the mark could not be read as one.

    Of each of its lines the part from the first letter or digit to the last is marked: beside punctuation, as in
    Chinese text without blanks, `**` would not count as a mark (CommonMark, *Emphasis and strong emphasis*). In a row
    of a table each cell is marked. Nothing is marked in code, and where backticks or asterisks have no partner.

    :param text: Markdown.
    :param sentence: a part of it; where the text does not hold it, nothing is marked.
    """
    start = text.find(sentence) if sentence else -1
    if start < 0 or sentence.count("`") % 2 or ("*" in sentence and _odd_stars(sentence)):
        return text
    fenced = "```" in text or "~~~" in text
    if fenced and (len(FENCE.findall(text[:start])) % 2 == 1 or FENCE.search(sentence)):
        return text
    marked = "\n".join(_line(line) for line in sentence.replace("**", "").split("\n"))
    return text[:start] + marked + text[start + len(sentence) :]


def _odd_stars(sentence: str) -> bool:
    """Say whether taking out the bold marks inside would leave one outside alone, or other stars."""
    bare = "\n".join(LINE_HEAD.sub("", line, count=1) for line in sentence.split("\n"))
    return bare.count("**") % 2 == 1 or "*" in bare.replace("**", "")


def _line(line: str) -> str:
    if line.lstrip().startswith("|"):
        cells = [_marked(cell) for cell in BAR.split(line)]
        return "|".join(cells)
    head = LINE_HEAD.match(line)
    start = head.end() if head else 0
    return line[:start] + _marked(line[start:])


def _marked(text: str) -> str:
    first = next((place for place, character in enumerate(text) if character.isalnum()), -1)
    if first < 0:
        return text
    last = next(place for place in range(len(text), 0, -1) if text[place - 1].isalnum())
    # half a code span or link would swallow the mark
    while last < len(text) and text[last] in "`)]%）】》":
        last += 1
    while first > 0 and text[first - 1] in "`([（【《":
        first -= 1
    return f"{text[:first]}**{text[first:last]}**{text[last:]}"
