"""Learn which search term of one language stands for which of the other, from parallel text.

IBM model 1 (Brown et al., "The Mathematics of Statistical Machine Translation", 1993), trained by expectation
maximisation in both directions over the distinct search terms of each pair: English stems, Chinese bigrams. A pair of
terms is kept when the geometric mean of both probabilities is high enough; that one is its weight.

    python eval/lab/models/train_translations.py OUT --pairs pairs.jsonl.gz --names names.jsonl.gz
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from khub.components.text.stopwords import without_stopwords
from khub.eval.lab.models.corpus import LEFT_OUT_SOURCE, known_statements, read_pairs
from khub.eval.lab.models.written import Pair, read_statements, read_words

HAN = re.compile(r"[\u4e00-\u9fff]")
LONGEST = 600
"""English characters; in longer pairs nearly everything stands beside everything."""
NAME_REPEATS = 3
"""So often each entry of a word list counts: it has no second sentence to be confirmed by."""
NAME_SOURCES = ("cldr", "emoji")
"""Word lists of names that people ask for; a gazetteer's 30,000 towns would only make the table long."""
RAREST = 2
ROUNDS = 6


class Alignments(NamedTuple):
    """All term pairs that share a sentence pair."""

    english: list[str]
    chinese: list[str]
    sentences: np.ndarray  # int64 (cells)
    sources: np.ndarray  # int64 (cells), place in `english`
    targets: np.ndarray  # int64 (cells), place in `chinese`


def term_pairs(pairs: Iterable[Pair]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the distinct English and Chinese search terms of each pair that has both."""
    for pair in pairs:
        if len(pair.en) > LONGEST:
            continue
        english = [term for term in dict.fromkeys(without_stopwords(pair.en)) if not HAN.search(term)]
        chinese = [term for term in dict.fromkeys(without_stopwords(pair.zh)) if HAN.search(term)]
        if english and chinese:
            yield english, chinese


def align(terms: list[tuple[list[str], list[str]]]) -> Alignments:
    """Give each frequent term a number, and list which met in which pair."""
    english, chinese = (_frequent(side) for side in zip(*terms, strict=True))
    places = [{term: place for place, term in enumerate(side)} for side in (english, chinese)]
    cells: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for number, both in enumerate(terms):
        one, two = ([at[term] for term in side if term in at] for side, at in zip(both, places, strict=True))
        if one and two:
            cells.append((np.full(len(one) * len(two), number), np.repeat(one, len(two)), np.tile(two, len(one))))
    return Alignments(english, chinese, *(np.concatenate(column) for column in zip(*cells, strict=True)))


def _frequent(side: Iterable[list[str]]) -> list[str]:
    counts = Counter(term for terms in side for term in terms)
    return [term for term, count in counts.items() if count >= RAREST]


def model_1(given: np.ndarray, made: np.ndarray, sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return p(made term | given term) of each pair of terms that met.

    :param given: int64 (cells).
    :param made: int64 (cells).
    :param sentences: int64 (cells).
    :returns: the given and made terms of each distinct pair, int64 (pairs), and its probability, float64 (pairs).
    """
    keys, cell = np.unique(given * (made.max() + 1) + made, return_inverse=True)
    _, word = np.unique(sentences * (made.max() + 1) + made, return_inverse=True)
    left, right = keys // (made.max() + 1), keys % (made.max() + 1)
    probability = np.ones(len(keys))
    for _ in range(ROUNDS):
        shares = probability[cell]
        shares /= np.bincount(word, weights=shares)[word]
        counts = np.bincount(cell, weights=shares, minlength=len(keys))
        probability = counts / np.bincount(left, weights=counts)[left]
    return left, right, probability


def translations(aligned: Alignments, least: float) -> list[tuple[str, str, float]]:
    """Return English term, Chinese term and weight (`least` to 1) of what stands for each other, best first."""
    english, chinese, forth = model_1(aligned.sources, aligned.targets, aligned.sentences)
    chinese_back, english_back, back = model_1(aligned.targets, aligned.sources, aligned.sentences)
    order = np.lexsort((chinese_back, english_back))  # as `forth` is: by English, then Chinese
    weights = np.sqrt(forth * back[order])
    kept = np.nonzero(weights >= least)[0]
    found = [(aligned.english[english[k]], aligned.chinese[chinese[k]], float(weights[k])) for k in kept]
    return sorted(found, key=lambda entry: (-entry[2], entry[0], entry[1]))


def main() -> None:
    """Read the pairs, write one line a translation: English, Chinese, weight, separated by tabs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--names", type=Path, required=True)
    parser.add_argument("--written", type=Path, help="what was written for the models: eval/lab/models/written")
    parser.add_argument("--least", type=float, default=0.2, help="least weight that is kept (default: 0.2)")
    parser.add_argument("--all-sources", action="store_true", help="leave no source out")
    given = parser.parse_args()
    pairs = [pair for pair in read_pairs(given.pairs) if given.all_sources or pair.source != LEFT_OUT_SOURCE]
    names = [name for name in read_pairs(given.names) if name.source.startswith(NAME_SOURCES)]
    if given.written:
        known = known_statements(read_statements(given.written))
        pairs += [text for one in known for text in (one.text, *one.questions)]
        names += read_words(given.written)
    terms = list(term_pairs([*pairs, *names * NAME_REPEATS]))
    lines = [f"{en}\t{zh}\t{weight:.2f}\n" for en, zh, weight in translations(align(terms), given.least)]
    given.out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
