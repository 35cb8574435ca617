"""Words and phrases that tell what a document is about."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import unescape

from khub.components.enrichers.word_frequencies import WordFrequencies, word_frequencies
from khub.components.text.stopwords import ENGLISH
from khub.components.text.tokenizer import HAN

MAX_WORDS = 4
"""In a phrase; of Chinese also at most `MAX_HAN` characters."""
MAX_HAN = 8
HEADING_WEIGHT = 3
"""A word in a title or heading counts so many times."""
MIN_TIMES = 2
"""A phrase must occur so often, to be one and not two words that met."""
LONGER_SAYS_MORE = 0.35
"""What each further word of a phrase adds to its score, as a share."""
MAX_CHARACTERS = 100_000
"""Of a longer text, as much is read, in pieces at equal distances."""

_LETTER, _SIGN = rf"[^\W\d_{HAN}]", rf"[^\W_{HAN}]"
_RUNS = re.compile(rf"[{HAN}]+|{_LETTER}{_SIGN}*(?:[-_.+#/](?:{_SIGN}|[+#])+)*[+#]*|[^\s]")
_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\[IMAGE:[^\[\]]*+\]|https?://\S+|\]\((?:(?!\]\()[^)])*+\)|<[^<>\n]*+>", re.DOTALL
)
_HAN = re.compile(f"[{HAN}]")
_FILE_NAME = re.compile(r"/|\.[a-z]{2,5}$")
_FUNCTION = set(
    "的了是在和与及或而且但也都就还又才只不没未无有为被把将从向往对于以可能会要应须使让给等其此该这那哪何什谁个些每各某本"
    "我你他她它们自己怎么吗呢吧请之所者并则若如因由至到上下中里内外前后时间起来去出入过着得地很更最较太非常多少大小好几一二三四五六七八九十"
    "百千万第次种类年月日号点分秒元"
)
_DULL_WORDS = """
    以及 因此 如果 可以 需要 进行 使用 通过 没有 不是 就是 这个 那个 一个 一种 我们 他们 问题 情况 方面 时候 部分 其中
    所有 包括 相关 以下 以上 说明 内容 表示 不同 同时 之间 然后 这些 那些 作为 由于 根据 按照 为了 例如 比如 必须 不能
    要求 之后 之前 第一 第二 第三 目前 已经 一般 主要 重要 结果 方式 方法 工作 开始 示例
    also all may more most other only use used using one two three each both many much new between within without per
    see e.g i.e etc via however when while then not no yes first second last make makes made get gets set every after
    before during over under up down out off same different well very even still just like non vs example page none
    note notes ms mb gb kb kg km cm mm
"""
_DULL = frozenset(_DULL_WORDS.split()) | ENGLISH

Phrase = tuple[str, ...]


def tags(texts: Sequence[str], headings: Iterable[str], count: int) -> list[str]:
    """Return the phrases that a document has much more often than texts in general.

    A phrase is scored by how far its number of occurrences is from what the general frequency of its words lets expect
    (informativeness of T. Tomokiyo and M. Hurst, *A Language Model Approach to Keyphrase Extraction*, 2003), which
    finds the document's own terms with no other documents to compare with. Chinese words that the vocabulary does not
    have come as phrases of shorter ones, so that no other dictionary is needed.

    :param texts: the document's text in pieces, in order.
    :param headings: its title and headings, each once; they count more.
    :param count: of tags.
    :returns: the best first, each as the text has it most often; none is part of another.
    """
    counted = _Phrases(word_frequencies())
    for text in texts[:: math.ceil(sum(map(len, texts)) / MAX_CHARACTERS) or 1]:
        counted.read(text, 1)
    for heading in headings:
        counted.read(heading, HEADING_WEIGHT - 1)
    return counted.best(count)


class _Phrases:
    def __init__(self, frequencies: WordFrequencies) -> None:
        self._frequencies = frequencies
        self._counts: Counter[Phrase] = Counter()
        self._met: Counter[Phrase] = Counter()
        self._spellings: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
        self._before: defaultdict[Phrase, set[str]] = defaultdict(set)
        self._after: defaultdict[Phrase, set[str]] = defaultdict(set)
        self._words = self._places = 0

    def read(self, text: str, weight: int) -> None:
        for run in _runs(_CODE.sub(" . ", unescape(text)), self._frequencies):
            self._words += len(run) * weight
            folded = [_folded(word) for word in run]
            for start in range(len(run)):
                for end in range(start + 1, min(start + MAX_WORDS, len(run)) + 1):
                    phrase = tuple(folded[start:end])
                    if not _is_phrase(phrase):
                        continue
                    self._counts[phrase] += weight
                    self._met[phrase] += 1
                    self._spellings[phrase][_spelled(run[start:end])] += weight
                    self._before[phrase].add(self._neighbour(folded, start - 1))
                    self._after[phrase].add(self._neighbour(folded, end))

    def _neighbour(self, run: list[str], place: int) -> str:
        """Return a word, or something new at each call: articles and marks are no part of a longer phrase."""
        self._places += 1
        word = run[place] if 0 <= place < len(run) else ""
        return word if word and _is_phrase((word,)) else f" {self._places}"

    def best(self, count: int) -> list[str]:
        scores = {phrase: self._score(phrase) for phrase in self._counts}
        chosen: list[Phrase] = []
        for phrase in sorted(scores, key=lambda p: (-scores[p], p)):
            if len(chosen) == count or scores[phrase] <= 0:
                break
            if not any(_share_words(phrase, other) for other in chosen):
                chosen.append(phrase)
        return [self._spellings[phrase].most_common(1)[0][0] for phrase in chosen]

    def _score(self, phrase: Phrase) -> float:
        times = self._counts[phrase]
        if len(phrase) > 1 and self._met[phrase] < MIN_TIMES:
            return 0.0
        if self._met[phrase] >= MIN_TIMES and not self._stands_alone(phrase):
            return 0.0
        surprise = [math.log(times / self._words) - self._frequencies.share(word) for word in phrase]
        # the mean, or longer phrases would always win; a little more for them, because they say more
        return times * (sum(surprise) / len(surprise)) * (1 + LONGER_SAYS_MORE * (len(phrase) - 1))

    def _stands_alone(self, phrase: Phrase) -> bool:
        """Say whether the phrase meets different neighbours on both sides: else it is part of a longer one."""
        return min(len(self._before[phrase]), len(self._after[phrase])) >= MIN_TIMES


def _runs(text: str, frequencies: WordFrequencies) -> Iterable[list[str]]:
    """Words between marks; Chinese and others apart."""
    run: list[str] = []
    last_han = False
    end = 0
    for found in _RUNS.finditer(text):
        piece = found[0]
        han = _is_han(piece)
        word = han or piece[0].isalpha()
        if run and (not word or han != last_han or "\n\n" in text[end : found.start()]):
            yield run
            run = []
        if word:
            run += frequencies.chinese_words(piece) if han else [piece]
        last_han, end = han, found.end()
    if run:
        yield run


@lru_cache(maxsize=1 << 15)
def _is_phrase(phrase: Phrase) -> bool:
    for word in (phrase[0], phrase[-1]):
        if word in _DULL:
            return False
        if _is_han(word) and (word[0] in _FUNCTION or word[-1] in _FUNCTION):
            return False
    if _is_han(phrase[0]):
        return 2 <= sum(map(len, phrase)) <= MAX_HAN and not any(word in _DULL for word in phrase)
    return all(len(word) > 1 and word not in ENGLISH and not _FILE_NAME.search(word) for word in phrase)


def _is_han(word: str) -> bool:
    return _HAN.match(word) is not None


def _folded(word: str) -> str:
    """One form for a word's spellings: lower case, and no plural."""
    word = word.lower()
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and word.isascii() else word


def _spelled(words: Sequence[str]) -> str:
    return ("" if _is_han(words[0]) else " ").join(words)


def _share_words(one: Phrase, other: Phrase) -> bool:
    if _is_han(one[0]) and _is_han(other[0]):
        return "".join(one) in "".join(other) or "".join(other) in "".join(one) or bool(set(one) & set(other))
    return bool(set(one) & set(other))
