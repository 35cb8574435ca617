"""Questions of words that stand in a passage, to be found again: `python -m eval.known_items BEIR_SET OUT`.

Of a data set in the format of BEIR only the passages are taken; OUT gets two sets in the same format, which
`khub eval retrieve` measures: `NAME-words`, whose questions are words of a passage in any order, and `NAME-phrases`,
whose questions are a piece of a sentence as it stands there. So people search who remember what they have read
(known-item search); queries are drawn from the passages as by L. Azzopardi, M. de Rijke and K. Balog, *Building
Simulated Queries for Known-Item Topics* (SIGIR 2007), with all words alike.
"""

import argparse
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

from components.errors import KhubError
from components.query.stopwords import ENGLISH
from components.text.tokenizer import HAN, tokenize
from eval.abstention.beir_folder import write_beir
from eval.models.beir import read_dataset
from eval.pages.baselines.words import words

QUESTIONS = 300
SEED = 7
FEWEST, MOST = 3, 6  # words of a question
SHORTEST, LONGEST = 4, 10  # words of a phrase
SHORTEST_HAN, LONGEST_HAN = 8, 20  # characters of a Chinese one
_HAN_CLAUSE = re.compile(rf"[{HAN}]{{{SHORTEST_HAN},}}")
_HAN = re.compile(rf"[{HAN}]")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")

Draw = Callable[[str, random.Random], str]


def draw_words(passage: str, chance: random.Random) -> str:
    """Return some of a passage's different words, three letters or two Han characters at least, no stop words.

    :param passage: its text.
    :param chance: decides which, and in which order.
    :returns: 3 to 6 words; "" where the passage has too few.
    :raises MissingLibraryError: when it is Chinese and jieba is not installed.
    """
    telling = [word for word in dict.fromkeys(words(passage)) if _tells(word)]
    number = chance.randint(FEWEST, MOST)
    return " ".join(chance.sample(telling, number)) if len(telling) >= number else ""


def draw_phrase(passage: str, chance: random.Random) -> str:
    """Return a piece of one of a passage's sentences.

    :param passage: its text.
    :param chance: decides which.
    :returns: 4 to 10 words in a row or, of a Chinese passage, 8 to 20 characters without a mark between them; "" where
        no sentence is long enough.
    """
    clauses = _HAN_CLAUSE.findall(passage)
    if clauses:
        clause = chance.choice(clauses)
        return clause[_piece(len(clause), chance.randint(SHORTEST_HAN, LONGEST_HAN), chance)]
    sentences = [found for found in map(str.split, _SENTENCE_END.split(passage)) if len(found) >= SHORTEST]
    if not sentences:
        return ""
    sentence = chance.choice(sentences)
    length = chance.randint(SHORTEST, min(LONGEST, len(sentence)))
    return " ".join(sentence[_piece(len(sentence), length, chance)])


def write_known_items(source: Path, out: Path, questions: int = QUESTIONS, seed: int = SEED) -> list[Path]:
    """Write the two sets, and return their folders.

    :param source: data set in the format of BEIR.
    :param out: folder of theirs.
    :param questions: of each set, at most.
    :param seed: of chance; the same one draws the same questions.
    :raises KhubError: when the data set cannot be read, or no passage has enough words.
    """
    data = read_dataset(source, with_title=False)
    passages = list(dict.fromkeys(filter(str.strip, data.passages.values())))
    kinds: dict[str, Draw] = {"words": draw_words, "phrases": draw_phrase}
    return [
        _write(out / f"{data.name}-{kind}", passages, draw, questions, random.Random(seed))
        for kind, draw in kinds.items()
    ]


def _write(folder: Path, passages: list[str], draw: Draw, questions: int, chance: random.Random) -> Path:
    drawn: dict[str, str] = {}
    for passage in chance.sample(passages, len(passages)):
        if question := draw(passage, chance):
            drawn[passage] = question
        if len(drawn) == questions:
            break
    if not drawn:
        raise KhubError(f"no passage is long enough for {folder.name}", "take a data set with longer passages")
    others = [passage for passage in passages if passage not in drawn]
    return write_beir(folder, folder.name, list(drawn.values()), [*drawn, *others])


def _tells(word: str) -> bool:
    if _HAN.match(word):
        return len(word) > 1
    return len(word) > 2 and word.isascii() and word.isalpha() and not ENGLISH.issuperset(tokenize(word))


def _piece(whole: int, length: int, chance: random.Random) -> slice:
    start = chance.randint(0, max(whole - length, 0))
    return slice(start, start + length)


def main() -> None:
    """Read the data set, and write both sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="BEIR_SET")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each set, at most (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="of chance (%(default)s)")
    options = parser.parse_args()
    try:
        folders = write_known_items(options.source, options.out, options.questions, options.seed)
    except KhubError as error:
        sys.exit(str(error))
    sys.stdout.writelines(f"{folder}\n" for folder in folders)


if __name__ == "__main__":
    main()
