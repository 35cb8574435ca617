"""Sets made of documentation in two languages: a heading that is a question is answered by what stands below it."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from khub.eval.lab.abstention.beir_folder import write_beir
from khub.eval.lab.models.written import Pair

SOURCES = {
    "python": "python/python-docs-zh-cn",
    "django": "django/django-docs-translations",
    "tensorflow": "tensorflow/docs-l10n",
}
QUESTION = re.compile(r"(?:How|What|Why|Can|Is|Where|When|Which|Do|Does|Are|Should|Who|Could|Will)\b.{20,150}\?")
PROSE = re.compile(r".{59,}[.:]")
PASSAGE_CHARACTERS = 700
PASSAGES = 330
SEED = 5


class Headed(NamedTuple):
    """Passages of consecutive pairs, and the headings that are questions with the place of the passage below."""

    passages: list[list[Pair]]
    questions: list[tuple[Pair, int]]


def headed_passages(pairs: Sequence[Pair]) -> Headed:
    """Cut documentation into passages of about 700 English characters, each question beginning a new one.

    A question counts where running text follows it; it stands in no passage.

    :param pairs: of one source, in their order.
    """
    found = Headed([], [])
    passage: list[Pair] = []
    asked: Pair | None = None
    for pair in pairs:
        if _is_question(pair):
            passage, asked = [], pair
            continue
        if not passage:
            found.passages.append(passage)
            if asked and PROSE.fullmatch(pair.en):
                found.questions.append((asked, len(found.passages) - 1))
            asked = None
        passage.append(pair)
        if sum(len(one.en) for one in passage) > PASSAGE_CHARACTERS:
            passage = []
    return found


def write_faq_sets(folder: Path, pairs: Sequence[Pair]) -> list[Path]:
    """Write a set for each source, asked and answered in either language, and return their folders.

    :param folder: gets one folder for each set, in the format of BEIR.
    :param pairs: documentation in both languages.
    """
    written = []
    for name, source in SOURCES.items():
        passages, questions = headed_passages([pair for pair in pairs if pair.source == source])
        answers = [place for _, place in questions]
        others = sorted(set(range(len(passages))) - set(answers))
        random.Random(SEED).shuffle(others)
        places = answers + others[: max(0, PASSAGES - len(answers))]
        for asked in ("zh", "en"):
            for held in ("zh", "en") if questions else ():
                texts = ["\n\n".join(getattr(pair, held) for pair in passages[place]) for place in places]
                queries = [getattr(pair, asked) for pair, _ in questions]
                written.append(write_beir(folder / f"faq-{name}_{asked}-{held}", f"faq-{name}", queries, texts))
    return written


def _is_question(pair: Pair) -> bool:
    return bool(QUESTION.fullmatch(pair.en.strip())) and pair.zh.strip().endswith(("？", "?"))
