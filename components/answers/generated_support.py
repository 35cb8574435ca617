"""Which sentences of a generated answer the passages that they cite do not bear out."""

import re
from dataclasses import dataclass

from khub.components.answer import Unsupported
from khub.components.answers.generated_marks import marks_in, without_marks
from khub.components.text.language import detect_language, may_be_same
from khub.components.text.number_words import HAN_NUMERAL, numbers_in_digits, values_of
from khub.components.text.sentence_ends import split_sentences
from khub.components.text.stopwords import without_stopwords
from khub.components.text.tokenizer import HAN, tokenize

LEAST_TERMS = 3
"""A sentence with fewer terms and without number or name (`Yes.`, `In short:`) claims nothing that could be checked."""

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINE_HEAD = re.compile(r"\s*(?:(?:[-*+•>]|\d{1,3}[.)、])\s+)*")
_NO_PROSE = re.compile(r"\s*+(?:#{1,6}\s|[\s:|-]*+$)")
_LEADING_MARKS = re.compile(r"\s*((?:\[\d{1,3}\]\s*)+)")
_NAME = re.compile(r"[A-Za-z][\w]*(?:[.\-'’&/][\w]+)*")
_HAN_PAIR = re.compile(f"[{HAN}]{{2}}")
_EMPHASIS = re.compile(r"\*\*|__|`")


@dataclass(frozen=True)
class _Sentence:
    text: str
    marks: list[int]


def unsupported_sentences(text: str, passages: dict[int, str], question: str, min_overlap: float) -> list[Unsupported]:
    """Return the sentences that say something which their passages do not say.

    A number, a name, or a word with capitals or digits inside has to stand in a passage that the sentence cites, or in
    the question; and `min_overlap` of its other words have to stand in those passages. Words are not compared where one
    of the passages is in another language. A sentence without marks rests on the marks behind it in its
    paragraph, and where there are none on any passage. What is denied, and who did what to whom, is not told apart.

    :param text: the answer, its marks checked.
    :param passages: number -> what the passage says.
    :param question: the question.
    :param min_overlap: a share from 0 to 1.
    """
    found = []
    for sentence in _sentences(text):
        cited = [passages[mark] for mark in sentence.marks if mark in passages] or list(passages.values())
        missing = _missing(sentence.text, "\n".join([*cited, question]))
        overlap = _overlap(sentence.text, cited)
        if missing or (overlap is not None and overlap < min_overlap):
            share = None if overlap is None else round(overlap, 2)
            found.append(Unsupported(sentence.text, sentence.marks, missing, share))
    return found


def _sentences(text: str) -> list[_Sentence]:
    sentences: list[_Sentence] = []
    for line in _CODE.sub("\n", text).splitlines():
        if not _NO_PROSE.match(line):
            sentences += _of_line(_LINE_HEAD.sub("", line, count=1).replace("|", " "))
    return sentences


def _of_line(line: str) -> list[_Sentence]:
    parts: list[str] = []
    for part in split_sentences(line):
        leading = _LEADING_MARKS.match(part)
        if leading and parts:  # marks behind the full stop belong to the sentence before
            parts[-1] += leading[1].strip()
            part = part[leading.end() :]  # noqa: PLW2901 - the rest of it
        if part:
            parts.append(part)
    sentences: list[_Sentence] = []
    behind: list[int] = []
    for part in reversed(parts):
        behind = marks_in(part) or behind
        sentences.append(_Sentence(" ".join(_EMPHASIS.sub("", without_marks(part)).split()), behind))
    return sentences[::-1]


def _missing(sentence: str, sources: str) -> list[str]:
    """Return the numbers and names of a sentence that the sources have not."""
    values = values_of(sources)
    numbers = [number for number, meant in numbers_in_digits(sentence) if not meant & values]
    held = sources.casefold()
    names = [name for name in _names(sentence) if name.casefold() not in held]
    return list(dict.fromkeys([*numbers, *names]))


def _names(sentence: str) -> list[str]:
    """Return words that name something: with a capital that no sentence begins, with digits, Latin ones in Chinese."""
    chinese = detect_language(sentence) == "zh"
    names = []
    for match in _NAME.finditer(sentence):
        name = re.sub(r"['’]s$", "", match.group())
        first = not sentence[: match.start()].strip(" \"'“‘(（*")
        inner = any(character.isupper() or character.isdigit() for character in name[1:])
        if len(name) > 1 and (inner or (name[0].isupper() and not first) or (chinese and not first)):
            names.append(name)
    return names


def _overlap(sentence: str, passages: list[str]) -> float | None:
    language = detect_language(sentence)
    comparable = all(may_be_same(language, detect_language(passage)) for passage in passages)
    # numbers are compared by their value
    terms = {t for t in without_stopwords(sentence) if not t[0].isdigit() and not HAN_NUMERAL.search(t)}
    if not comparable or len(terms) < LEAST_TERMS:
        return None
    text = "\n".join(passages)
    held = set(tokenize(text))
    return sum(1.0 if term in held else _half(term, text) for term in terms) / len(terms)


def _half(term: str, text: str) -> float:
    """Return a half for a pair of Han characters that stand apart: the pair may reach over two words."""
    return 0.5 if _HAN_PAIR.fullmatch(term) and all(character in text for character in term) else 0.0
