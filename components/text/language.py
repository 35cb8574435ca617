"""Which language a text is in, judged by its scripts alone: fast enough for every chunk, fit for short queries."""

import re

from khub.components.text.tokenizer import HAN, HANGUL, KANA

HAN_RUNS = re.compile(f"[{HAN}]+")
_KANA_RUNS = re.compile(f"[{KANA}\uff66-\uff9d]+")
_HANGUL_RUNS = re.compile(f"[{HANGUL}]+")
_LATIN_WORDS = re.compile(
    "[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+"
)

LANGUAGES = ("zh", "en", "ja", "ko")
"""What `detect_language` tells apart."""

KANA_SHARE_OF_JAPANESE = 0.15
"""Share of kana among Han and kana from which a text is Japanese; Chinese that quotes a の stays below it."""

CHARACTERS_PER_WORD = 1.5
"""East Asian characters that weigh as much as one Latin word, so that `Kubernetes Pod 是什么` is Chinese."""


def detect_language(text: str) -> str:
    """Name the language of a text by the shares of its scripts.

    East Asian characters are weighed against Latin words, not letters: a Chinese question about English names is
    Chinese, an English paragraph that mentions a Chinese name is English.

    :param text: any text, of any length; time is linear in it.
    :returns: `"zh"` (Han without kana), `"ja"`, `"ko"`, `"en"` (any language in Latin script: French, German and
        Vietnamese too), or `"und"` when the text has no letter of these scripts.
    """
    words = len(_LATIN_WORDS.findall(text))
    if text.isascii():
        return "en" if words else "und"
    han, kana, hangul = (_characters(runs, text) for runs in (HAN_RUNS, _KANA_RUNS, _HANGUL_RUNS))
    east_asian = han + kana + hangul
    if not east_asian or words > east_asian / CHARACTERS_PER_WORD:
        return "en" if words else "und"
    if hangul > han + kana:
        return "ko"
    return "ja" if kana >= KANA_SHARE_OF_JAPANESE * (han + kana) else "zh"


def may_be_same(one: str | None, other: str | None) -> bool:
    """Return whether two texts may be in one language: False only where both are known and differ.

    :param one: what `detect_language` says of the first, None for not known.
    :param other: what it says of the second.
    """
    unknown = {None, "", "und"}
    return one == other or one in unknown or other in unknown


def _characters(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))
