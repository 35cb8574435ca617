"""Characters and pairs of neighbouring characters: which rows they have, and what is left of the text."""

import numpy as np
import pytest

from khub.components.embedders.han_ngrams import HanNgrams

pytestmark = pytest.mark.unit
CHARACTERS = "图书馆国电"
BIGRAMS = ["书馆", "图书", "电脑", "国电"]  # not sorted by code point: rows are numbered in the order given
FOLDING = {"圖": "图", "書": "书", "館": "馆", "Ａ": "A", "％": "%", "龘": "龙"}


def codes(text: str) -> list[int]:
    return [ord(character) for character in text]


def ngrams(bigrams: list[str] | None = None) -> HanNgrams:
    pairs = [codes(pair) for pair in (BIGRAMS if bigrams is None else bigrams)]
    return HanNgrams(
        np.array(codes(CHARACTERS), dtype=np.uint32),
        np.array(pairs, dtype=np.uint32).reshape(-1, 2),
        np.array([codes(a + b) for a, b in FOLDING.items()], dtype=np.uint32).reshape(-1, 2),
    )


def rows(*names: str) -> list[int]:
    """Rows of characters and pairs by what they are."""
    return [CHARACTERS.index(n) if len(n) == 1 else len(CHARACTERS) + BIGRAMS.index(n) for n in names]


BEYOND = chr(0x10000 + ord("图"))  # the tables hold 16 bits: its low half must not be mistaken for another


@pytest.mark.parametrize(
    ("text", "rest", "names"),
    [
        ("图书馆", " ", ["图", "书", "馆", "图书", "书馆"]),  # characters first, then pairs, which overlap
        ("馆书图", " ", ["馆", "书", "图"]),  # pairs have a direction
        ("图书图书", " ", ["图", "书", "图", "书", "图书", "图书"]),
        ("电脑", " ", ["电", "电脑"]),  # a pair may be known by more than its characters
        ("图 书", "   ", ["图", "书"]),
        ("图，书", " ， ", ["图", "书"]),
        ("图の书", " の ", ["图", "书"]),
        ("图猫书", " ", ["图", "书"]),
        ("猫狗", " ", []),
        ("圖書館", " ", ["图", "书", "馆", "图书", "书馆"]),
        ("國", " ", []),  # not in the table, so not folded
        ("100 % ~{}", "100 % ~{}", []),
        ("naïve café ひらがな 😀 Ж 한국 \u200b", "naïve café ひらがな 😀 Ж 한국 \u200b", []),
        ("", "", []),
        ("Ａ图５０％", "A ５０%", ["图"]),  # ５ and ０ are not in this table
        ("Das 图书馆 in 猫城, 3 龘。", "Das   in  , 3  。", ["图", "书", "馆", "图书", "书馆"]),
        (f"{BEYOND}书😀书馆", f"{BEYOND} 😀 ", ["书", "书", "馆", "书馆"]),
        ("x㐀y䶿x一x鿿x豈", "x y x x x ", []),  # the ends of the ranges of Han
        ("x㏿䷀ꀀﬀ", "x㏿䷀ꀀﬀ", []),  # and their neighbours
    ],
)
def test_a_text_is_parted_into_its_han_and_the_rest(text: str, rest: str, names: list[str]):
    other, chinese = ngrams().split([text])[0]
    assert (other, chinese.tolist()) == (rest, rows(*names))
    assert (chinese.dtype, chinese.ndim) == (np.int32, 1)


def test_ascii_is_returned_as_it_is():
    text = "plain text"
    assert ngrams().split([text])[0][0] is text


def test_without_pairs_characters_are_still_found():
    assert ngrams([]).split(["图书馆"])[0][1].tolist() == rows("图", "书", "馆")


def test_texts_together_give_what_each_gives_alone():
    texts = ["图", "", "书馆", "plain", "电脑 and 😀图书", "国", "", "电é书", ""]
    together = ngrams().split(texts)
    for text, (rest, chinese) in zip(texts, together, strict=True):
        alone = ngrams().split([text])[0]
        assert (rest, chinese.tolist()) == (alone[0], alone[1].tolist())


def test_pairs_whose_slot_is_taken_are_found_too():
    """Of 45,000 pairs, thousands share a slot of the hash table."""
    generator = np.random.default_rng(5)
    bigrams = np.unique(generator.integers(0x4E00, 0x6000, (45_000, 2)).astype(np.uint32), axis=0)
    generator.shuffle(bigrams)
    table = HanNgrams(np.empty(0, np.uint32), bigrams, np.empty((0, 2), np.uint32))
    assert len(table._keys) > 1000
    texts = ["".join(map(chr, pair)) for pair in bigrams.tolist()]
    assert [chinese.tolist() for _, chinese in table.split(texts)] == [[number] for number in range(len(bigrams))]
    known = {tuple(pair) for pair in bigrams.tolist()}
    strangers = [pair for pair in generator.integers(0x4E00, 0x6000, (5000, 2)).tolist() if tuple(pair) not in known]
    assert all(not len(chinese) for _, chinese in table.split(["".join(map(chr, pair)) for pair in strangers]))
