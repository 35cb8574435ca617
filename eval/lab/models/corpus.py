"""The training text: pairs of sentences, windows of consecutive pairs, names, glosses, news; and what is left out."""

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from khub.eval.lab.models.written import FOLDER, Pair, Statement, read_statements, read_words
from khub.eval.lab.models.written import SOURCE as WRITTEN

LEFT_OUT_SOURCE = "reactjs/zh-hans.react.dev"
UNORDERED_SOURCES = ("tatoeba", "tldr-pages/tldr", WRITTEN)
NEWS_LEFT_OUT = 1500
TATOEBA_LEFT_OUT = 1500
NAMES_LEFT_OUT = 1000
STATEMENTS_LEFT_OUT = 20
"""Of so many written statements one is left out."""
WINDOW_CHARACTERS = 900
PART_CHARACTERS = 300
SENTENCE_END = re.compile(r"(?<=[。！？!?；;])")
MIN_SENTENCE = 8


class Passage(NamedTuple):
    """Pieces of text that stand together, in order; `group` is equal for passages of one document."""

    pieces: list[str]
    group: int


class Corpus(NamedTuple):
    """What is trained on, or what is left out of training."""

    pairs: list[Pair]
    windows: list[list[Pair]]
    names: list[Pair]
    news: list[Passage]
    statements: Sequence[Statement] = ()


def read_lines(path: Path) -> Iterator[Any]:
    """Read a gzipped file of one JSON object a line."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def read_pairs(path: Path) -> list[Pair]:
    """Read `en`, `zh` and `source` of each line, in the order of the file."""
    return [Pair(row["en"], row["zh"], row["source"]) for row in read_lines(path)]


def split(
    pairs: list[Pair], names: list[Pair], news: list[str], keep_all: bool, statements: Sequence[Statement] = ()
) -> tuple[Corpus, Corpus]:
    """Divide into what is trained on and what is left out: one whole source, and a part of each of the others.

    :param keep_all: train on the left-out source too (for the model that ships); the rest stays left out.
    """
    chosen = random.Random(1)
    tatoeba = [pair for pair in pairs if pair.source == "tatoeba"]
    cities = [pair for pair in names if pair.source == "geonames"]
    absent = {pair.en for pair in chosen.sample(tatoeba, min(TATOEBA_LEFT_OUT, len(tatoeba) // 4))}
    unnamed = {pair.en for pair in chosen.sample(cities, min(NAMES_LEFT_OUT, len(cities) // 4))}
    kept = [
        pair
        for pair in pairs
        if (keep_all or pair.source != LEFT_OUT_SOURCE) and not (pair.source == "tatoeba" and pair.en in absent)
    ]
    left = [pair for pair in pairs if pair.source == LEFT_OUT_SOURCE]
    passages = [passage for group, text in enumerate(news) for passage in news_passages(text, group)]
    known = known_statements(statements)
    kept += [text for one in known for text in (one.text, *one.questions)]
    edge = len(news) - min(NEWS_LEFT_OUT, len(news) // 4)
    trained = Corpus(
        kept,
        windows(kept),
        [name for name in names if name.en not in unnamed],
        [passage for passage in passages if passage.group < edge],
        known,
    )
    held = Corpus(
        [pair for pair in tatoeba if pair.en in absent],
        windows(left),
        [name for name in cities if name.en in unnamed],
        [passage for passage in passages if passage.group >= edge],
        statements[::STATEMENTS_LEFT_OUT],
    )
    return trained, held


def known_statements(statements: Sequence[Statement]) -> list[Statement]:
    """Return those of the written statements that are not left out."""
    return [one for number, one in enumerate(statements) if number % STATEMENTS_LEFT_OUT]


def windows(pairs: list[Pair]) -> list[list[Pair]]:
    """Join consecutive pairs of one source to windows of up to 900 English characters, which is a chunk's length."""
    found: list[list[Pair]] = []
    size = 0
    for pair in pairs:
        if pair.source in UNORDERED_SOURCES:
            continue
        if not found or found[-1][0].source != pair.source or size + len(pair.en) > WINDOW_CHARACTERS:
            found.append([])
            size = 0
        found[-1].append(pair)
        size += len(pair.en)
    return [window for window in found if len(window) >= 3]


def news_passages(text: str, group: int) -> Iterator[Passage]:
    """Cut an article into parts of about 300 characters, each a list of sentences; short rests join their neighbour."""
    pieces: list[str] = []
    for sentence in SENTENCE_END.split(text):
        if len(sentence) < MIN_SENTENCE and pieces:
            pieces[-1] += sentence
        elif sentence.strip():
            pieces.append(sentence.strip())
    part: list[str] = []
    for piece in pieces:
        part.append(piece)
        if sum(map(len, part)) >= PART_CHARACTERS and len(part) >= 3:
            yield Passage(part, group)
            part = []
    if len(part) >= 3:
        yield Passage(part, group)


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the training text and the teacher."""
    parser.add_argument("--pairs", type=Path, required=True, help="pairs.jsonl.gz: en, zh, source")
    parser.add_argument("--names", type=Path, required=True, help="written by khub.eval.lab.models.lexicon --unihan")
    parser.add_argument("--news", type=Path, required=True, help="Chinese text without translation, .jsonl.gz: text")
    parser.add_argument("--written", type=Path, help=f"what was written for the models: {FOLDER}")
    parser.add_argument("--all-sources", action="store_true", help=f"train on {LEFT_OUT_SOURCE}, too")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the teacher's vectors, kept between runs")


def read_corpus(arguments: argparse.Namespace) -> tuple[Corpus, Corpus]:
    """Read what the options name; return what is trained on, and what is left out."""
    news = [row["text"] for row in read_lines(arguments.news)]
    names, statements = read_pairs(arguments.names), []
    if arguments.written:
        names, statements = names + read_words(arguments.written), read_statements(arguments.written)
    return split(read_pairs(arguments.pairs), names, news, arguments.all_sources, statements)
