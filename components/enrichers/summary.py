"""Say what a document is: how it opens, and what its chapters are called."""

from collections.abc import Sequence
from typing import NamedTuple

from khub.components.text.language import detect_language
from khub.components.text.stopwords import without_stopwords

OPENING = 20
"""Sentences, the first ones, of which those are taken that say most of what the document is about."""
MIN_WORDS, MAX_CHARACTERS = 5, 400
ENOUGH, MOST_CHAPTERS, CHAPTER_CHARACTERS = 3, 8, 50
WORDS = {"en": (" Chapters: ", "; ", "."), "zh": ("章节：", "；", "。")}
_CHINESE_ENDS = tuple("。！？；”」』）")


class Part(NamedTuple):
    """A part of a document.

    :ivar headings: the path of headings under which it begins, the outermost first.
    :ivar below: the headings in it, with their levels.
    :ivar sentences: its whole sentences.
    """

    headings: Sequence[str]
    below: Sequence[tuple[int, str]]
    sentences: Sequence[str]


def summary_of(parts: Sequence[Part], title: str, about: Sequence[str], count: int) -> str:
    """Return the opening sentences that say what a document is about, and the names of its chapters.

    That the first sentences of a text sum it up better than most that were made for it is the lead baseline
    (A. Nenkova, *Automatic Text Summarization of Newswire*, AAAI 2005); a cover or a legal notice may stand before.

    :param parts: in their order.
    :param title: of the document, which is no chapter.
    :param about: words and phrases that tell what it is about, such as its tags.
    :param count: sentences at most.
    :returns: "" where there is neither a sentence nor a chapter.
    """
    said = list(dict.fromkeys(sentence for part in parts for sentence in part.sentences))
    opening = _opening(said, [title, *about], count)
    text = ("" if opening and opening[0].endswith(_CHINESE_ENDS) else " ").join(opening)
    named = _headed([heading for part in parts for heading in part.below], title)
    named = named or _chapters([[h for h in part.headings if h and h != title] for part in parts])
    if len(named) < 2:
        return text
    language = "zh" if detect_language(text or title or named[0]) == "zh" else "en"
    before, between, end = WORDS[language]
    names = [name if len(name) <= CHAPTER_CHARACTERS else f"{name[: CHAPTER_CHARACTERS - 1]}…" for name in named]
    more = "…" if len(names) > MOST_CHAPTERS else end
    return f"{text}{before}{between.join(names[:MOST_CHAPTERS])}{more}".strip()


def _opening(sentences: Sequence[str], about: Sequence[str], count: int) -> list[str]:
    """Return the first sentences with most of the words that tell what a text is about, in their order."""
    telling = {word for phrase in about for word in without_stopwords(phrase)}
    fit = []
    for sentence in sentences:
        words = set(without_stopwords(sentence)) if len(sentence) <= MAX_CHARACTERS else set()
        if len(words) >= MIN_WORDS:
            fit.append((sentence, words))
        if len(fit) == OPENING:
            break
    chosen: list[int] = []
    for place in sorted(range(len(fit)), key=lambda n: (-len(fit[n][1] & telling) / (1 + n / OPENING), n)):
        words = fit[place][1]
        if len(chosen) < count and all(len(words & fit[other][1]) * 2 < len(words) for other in chosen):
            chosen.append(place)
    return [fit[place][0] for place in sorted(chosen)]


def _headed(headings: Sequence[tuple[int, str]], title: str) -> list[str]:
    """Return the headings of the highest level of which there are enough; two may be the lines of a title."""
    levels = [
        list(dict.fromkeys(name for of, name in headings if of == level and name != title))
        for level in sorted({level for level, _ in headings})
    ]
    return next((names for least in (ENOUGH, 2) for names in levels if len(names) >= least), [])


def _chapters(paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the headings of the outermost level on which there are several."""
    for level in range(max(map(len, paths), default=0)):
        names = list(dict.fromkeys(path[level] for path in paths if len(path) > level))
        if len(names) > 1:
            return names
    return []
