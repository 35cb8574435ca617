"""Write the table of Chinese words with which a question is glossed: `components/query/words.tsv`.

The words and their glosses are those of the word list (`eval/lab/models/written`), and the names of a gazetteer. How
often running text has each is counted in text cut by the table itself, three times over: every word is equally likely
at first (hard expectation maximisation over a unigram model).

    python -m khub.eval.lab.models.write_words OUT --pairs pairs.jsonl.gz --names names.jsonl.gz --news news.jsonl.gz
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from khub.components.query.word_glosses import HAN, WordGlosses
from khub.eval.lab.models.corpus import read_lines, read_pairs
from khub.eval.lab.models.written import FOLDER, Pair, read_statements

ROUNDS = 3
CHARACTERS = 2_500_000
LONGEST_RUN = 60
SAY_NOTHING = {*"的了吗呢是有和与及或也都就被把对于为以之其一个些吧啊呀着过会要能可我你他她它们嘛么在到这那"} | {
    *("可以", "一个", "自己", "已经", "这个", "那个", "我们", "你们", "他们", "如果", "时候", "还是", "可能", "应该"),
    *("需要", "现在", "知道"),
}
"""Words whose gloss would only blur what the others say."""

NAME_SOURCES = ("geonames", "cldr", "emoji")
"""Lists of names; a dictionary of characters says what kind of character each is, and not what it is called."""


def written_glosses(folder: Path = FOLDER) -> dict[str, str]:
    """Return the words of the word list that Chinese characters alone write, and their glosses, the usual one first."""
    rows = (line.split("\t") for line in (folder / "words.tsv").read_text(encoding="utf-8").splitlines())
    return {word: "" if word in SAY_NOTHING else glosses for word, glosses, *_ in rows if HAN.fullmatch(word)}


def with_names(glosses: dict[str, str], names: Iterable[Pair]) -> dict[str, str]:
    """Return the glosses, and those of the names, of two characters and more, that are not among them."""
    known = {pair.zh: pair.en for pair in names if pair.source in NAME_SOURCES and _is_name(pair)}
    return known | glosses


def _is_name(pair: Pair) -> bool:
    return len(pair.zh) > 1 and bool(HAN.fullmatch(pair.zh)) and not set("\t\n;") & set(pair.en)


def counted(glosses: dict[str, str], runs: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return the table.

    :param glosses: of each word.
    :param runs: Chinese characters of running text, without anything between them.
    :returns: word -> how often the runs have it, and its glosses; single characters of the runs are words, too.
    """
    runs = list(runs)
    table = {character: (0, "") for run in runs for character in run}
    table |= {word: (0, said) for word, said in glosses.items()}
    for _ in range(ROUNDS):
        cutter = WordGlosses(table, {})
        seen = Counter(word.text for run in runs for word in cutter.words(run))
        table = {word: (seen[word], said) for word, (_, said) in table.items()}
    return {word: row for word, row in table.items() if row[0] or row[1]}


def sample(texts: Iterable[str], characters: int, seed: int) -> list[str]:
    """Return runs of Chinese characters of the texts, drawn at random until there are so many characters."""
    runs = [run[:LONGEST_RUN] for text in texts for run in HAN.findall(text)]
    random.Random(seed).shuffle(runs)
    drawn, total = [], 0
    for run in runs:
        if total >= characters:
            break
        drawn.append(run)
        total += len(run)
    return drawn


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the file")
    parser.add_argument("--pairs", type=Path, required=True, help="parallel text, jsonl.gz with `zh`")
    parser.add_argument("--names", type=Path, required=True, help="names, jsonl.gz with `zh`, `en` and `source`")
    parser.add_argument("--news", type=Path, required=True, help="Chinese text, jsonl.gz with `text`")
    parser.add_argument("--written", type=Path, default=FOLDER, help="folder of the word list and the statements")
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="Chinese characters that are counted")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    texts = [row["text"] for row in read_lines(arguments.news)]
    texts += [pair.zh for pair in read_pairs(arguments.pairs)]
    statements = read_statements(arguments.written)
    texts += [text.zh for one in statements for text in (one.text, *one.questions)]
    runs = sample(texts, arguments.characters, arguments.seed)
    glosses = with_names(written_glosses(arguments.written), read_pairs(arguments.names))
    table = counted(glosses, runs)
    lines = [f"{word}\t{said}\t{count}\n" for word, (count, said) in sorted(table.items())]
    arguments.output.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
