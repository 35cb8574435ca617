"""Word by word, with a memory: the ids are those that the library gives for the whole text."""

import random
import threading

import pytest
from tokenizers import AddedToken, Tokenizer, normalizers
from tokenizers.models import WordLevel, WordPiece
from tokenizers.pre_tokenizers import Metaspace

from components.embedders.model_folder import SHIPPED
from components.embedders.word_tokenizer import LONGEST_WORD, MOST_WORDS, WordTokenizer

pytestmark = pytest.mark.unit
WORDS = [
    "Password",
    "naïve",
    "e\u0301",
    "\u0301",
    "。”",
    "，",
    "[UNK]",
    "[SEP]",
    "don't",
    "３",
    "ひら",
    "Ж",
    "😀",
    "国",
    "-",
]
CONTROLS = ["\t", "\n", "\u00a0", "\u3000", "\x1c", "\x00", "\ufffd", "\u200b", " ", "  "]
PARTS = [*WORDS, *CONTROLS, "x" * 101, "a" * LONGEST_WORD]


class Spy:
    """Passes a tokenizer's calls on, and keeps what it was asked."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer, self.asked = tokenizer, []

    def __getattr__(self, name: str):
        return getattr(self.tokenizer, name)

    def encode_batch_fast(self, texts: list[str], **settings: bool):
        self.asked.append(sorted(texts))
        return self.tokenizer.encode_batch_fast(texts, **settings)


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SHIPPED / "khub-fast" / "tokenizer.json"))


def whole(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]


def encoded(words: WordTokenizer, texts: list[str]) -> list[list[int]]:
    return [ids.tolist() for ids in words.encode(texts)]


def test_ids_are_those_of_the_whole_text(tokenizer: Tokenizer):
    generator = random.Random(3)
    texts = ["".join(generator.choice(PARTS) for _ in range(generator.randrange(30))) for _ in range(2000)]
    words = WordTokenizer(tokenizer)
    expected = whole(tokenizer, texts)
    assert encoded(words, texts) == expected
    assert encoded(words, texts) == expected  # from memory


def test_no_texts_and_empty_ones(tokenizer: Tokenizer):
    words = WordTokenizer(tokenizer)
    assert words.encode([]) == []
    assert [(len(ids), ids.dtype) for ids in words.encode(["", " "])] == [(0, "int32"), (0, "int32")]


def test_only_new_words_reach_the_library(tokenizer: Tokenizer):
    spy = Spy(tokenizer)
    words = WordTokenizer(spy)
    words.encode(["grbl (zxqv)", "grbl, qqvk"])
    words.encode(["vvkx grbl?", "qqvk qqvk"])
    assert spy.asked == [["grbl", "qqvk", "zxqv"], ["vvkx"]]


def test_words_of_the_vocabulary_do_not_reach_the_library(tokenizer: Tokenizer):
    spy = Spy(tokenizer)
    texts = ['The cat "sat", didn\'t it?\nYes (all day) - 1/2.']
    assert encoded(WordTokenizer(spy), texts) == whole(tokenizer, texts)
    assert spy.asked == []


@pytest.mark.parametrize("other", ["added token", "case", "short words"])
def test_vocabulary_that_does_not_tell_all(tokenizer: Tokenizer, other: str):
    if other == "added token":
        tokenizer.add_tokens([AddedToken("cat")])
    elif other == "case":
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    else:
        tokenizer.model = WordPiece(tokenizer.get_vocab(), unk_token="[UNK]", max_input_chars_per_word=4)
    texts = ["The cats CAT concatenation catalogue cat"]
    assert encoded(WordTokenizer(tokenizer), texts) == whole(tokenizer, texts)


def test_distinct_tokens_are_those_of_the_text(tokenizer: Tokenizer):
    texts = ["the cat and the dog, the zxqv", "", "the " + "y" * (LONGEST_WORD + 1), "the the"]
    found = WordTokenizer(tokenizer).encode_distinct(texts)
    assert [set(ids.tolist()) for ids in found] == [set(ids) for ids in whole(tokenizer, texts)]
    assert len(found[3]) == 1
    tokenizer.normalizer = normalizers.Replace("the cat", "dog")
    found = WordTokenizer(tokenizer).encode_distinct(texts)
    assert [set(ids.tolist()) for ids in found] == [set(ids) for ids in whole(tokenizer, texts)]


def test_a_text_with_a_long_word_is_not_remembered(tokenizer: Tokenizer):
    spy = Spy(tokenizer)
    words = WordTokenizer(spy)
    long = "the " + "y" * (LONGEST_WORD + 1)
    for _ in range(2):
        assert encoded(words, [long, "zxqv"]) == whole(tokenizer, [long, "zxqv"])
    assert spy.asked == [["zxqv"], [long], [long]]


def test_memory_is_bounded(tokenizer: Tokenizer):
    words = WordTokenizer(tokenizer)
    for start in range(0, 3 * MOST_WORDS, MOST_WORDS // 2):
        text = " ".join(f"w{number}" for number in range(start, start + MOST_WORDS // 2))
        assert encoded(words, [text]) == whole(tokenizer, [text])
        assert len(words._known) <= MOST_WORDS
    huge = " ".join(f"z{number}" for number in range(MOST_WORDS + 1))
    assert encoded(words, [huge]) == whole(tokenizer, [huge])
    assert len(words._known) <= MOST_WORDS


@pytest.mark.parametrize("other", ["model", "pre-tokenizer", "normalizer", "added token"])
def test_a_tokenizer_that_may_look_across_blanks_gets_whole_texts(tokenizer: Tokenizer, other: str):
    if other == "model":
        vocabulary = {"[UNK]": 0, "the": 1}
        tokenizer.model = WordLevel(vocabulary, unk_token="[UNK]")
    elif other == "pre-tokenizer":
        tokenizer.pre_tokenizer = Metaspace()
    elif other == "normalizer":
        tokenizer.normalizer = normalizers.Replace("the cat", "dog")
    else:
        tokenizer.add_tokens([AddedToken("the cat")])
    spy = Spy(tokenizer)
    assert encoded(WordTokenizer(spy), ["the cat sat"]) == whole(tokenizer, ["the cat sat"])
    assert spy.asked == [["the cat sat"]]


def test_threads_share_the_memory(tokenizer: Tokenizer):
    words = WordTokenizer(tokenizer)
    texts = [" ".join(f"word{(number * 37 + k) % 30_000}" for k in range(700)) for number in range(120)]
    expected, results = whole(tokenizer, texts), []

    def work(start: int) -> None:
        results.extend(encoded(words, [texts[n]]) == [expected[n]] for n in range(start, len(texts), 4))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 120
