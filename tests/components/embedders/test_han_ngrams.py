"""Characters and pairs of neighbouring characters: which rows they have, and what is left of the text."""

import numpy as np
import pytest

from components.embedders.han_ngrams import HanNgrams

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


def found(text: str, table: HanNgrams | None = None) -> list[int]:
    return (table or ngrams()).split([text])[0][1].tolist()


def test_characters_come_first_then_pairs_overlapping():
    assert found("图书馆") == rows("图", "书", "馆", "图书", "书馆")
    assert found("馆书图") == rows("馆", "书", "图")  # pairs have a direction


def test_a_pair_may_be_known_by_more_than_its_characters():
    assert found("电脑") == rows("电", "电脑")


def test_pairs_do_not_reach_across_other_text():
    for between in (" ", "a", "，", "の", "\U00020000"):
        assert found(f"图{between}书") == rows("图", "书")


def test_unknown_characters_and_pairs_have_no_row():
    assert found("猫狗") == []
    assert found("图猫书") == rows("图", "书")


def test_traditional_characters_are_found_as_simplified_ones():
    assert found("圖書館") == found("圖书館") == found("图书馆")
    assert found("國") == []  # not in the table, so not folded


@pytest.mark.parametrize("text", ["plain text", "", " \t\n", "100 % ~{}"])
def test_ascii_is_returned_as_it_is(text: str):
    rest, chinese = ngrams().split([text])[0]
    assert rest is text
    assert (chinese.shape, chinese.dtype) == ((0,), np.int32)


@pytest.mark.parametrize("text", ["naïve café", "ひらがな", "😀🎉", "Ж", "한국", "\u200b"])
def test_text_without_han_is_untouched(text: str):
    rest, chinese = ngrams().split([text])[0]
    assert rest == text
    assert chinese.shape == (0,)


def test_full_width_latin_is_folded_in_the_rest():
    assert ngrams().split(["Ａ图５０％"])[0][0] == "A ５０%"  # ５ and ０ are not in this table


def test_a_blank_stands_in_place_of_a_run_known_or_not():
    text = "Das 图书馆 in 猫城, 3 龘。"
    rest, _ = ngrams().split([text])[0]
    assert rest == "Das   in  , 3  。"


def test_characters_beyond_the_basic_plane_are_kept_and_break_no_pair():
    """Some are Han (extension B); the tables hold 16 bits, and their low halves must not be mistaken for others."""
    beyond = chr(0x10000 + ord("图"))
    rest, chinese = ngrams().split([f"{beyond}书😀书馆"])[0]
    assert rest == f"{beyond} 😀 "
    assert chinese.tolist() == rows("书", "书", "馆", "书馆")


def test_ends_of_the_han_ranges():
    assert [rest for rest, _ in ngrams().split([f"x{han}" for han in "㐀䶿一鿿豈"])] == ["x "] * 5
    neighbours = [f"x{character}" for character in "㏿䷀ꀀﬀ"]
    assert [rest for rest, _ in ngrams().split(neighbours)] == neighbours


def test_without_pairs_characters_are_still_found():
    assert found("图书馆", ngrams([])) == rows("图", "书", "馆")


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
