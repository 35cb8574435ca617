"""The tokens of the static model: MiniLM's WordPiece for what is not Chinese, characters and pairs for what is."""

import bz2
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from components.embedders.han_ngrams import HanNgrams
from eval.lab.models.corpus import Corpus

MIN_CHARACTER_COUNT = 2
USED_AS_IT_IS = 20
IN_A_WORD = 100
NO_WORDS = ("geonames", "unihan")
"""Sources of names whose pairs do not count as parts of words: small towns, and definitions of single characters."""
FULL_WIDTH = range(0xFF01, 0xFF5F)
FULL_TO_ASCII = 0xFEE0
BASIC_HAN = range(0x3400, 0xA000)


def folding_table(unihan_variants: Path, texts: Iterable[str]) -> np.ndarray:
    """Map traditional characters to simplified ones, and full-width Latin to ASCII.

    A character is left alone when the simplified training text uses it, too (乾, 著, 於 in names).

    :param unihan_variants: `Unihan_Variants.txt.bz2`.
    :param texts: the simplified Chinese training text.
    :returns: uint32 array (n, 2) of code points, sorted.
    """
    used = Counter(character for text in texts for character in text)
    table = {code: code - FULL_TO_ASCII for code in FULL_WIDTH}
    with bz2.open(unihan_variants, "rt", encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if len(fields) < 3 or fields[1] != "kSimplifiedVariant":
                continue
            code, *variants = (_code_point(name) for name in (fields[0], *fields[2:]))
            best = max(variants, key=lambda variant: used[chr(variant)])
            if code in BASIC_HAN and best in BASIC_HAN and code not in variants and used[chr(code)] < USED_AS_IT_IS:
                table[code] = best
    return np.array(sorted(table.items()), dtype=np.uint32)


def _code_point(name: str) -> int:
    return ord(f"\\U{name[2:]:0>8}".encode().decode("unicode_escape"))


def choose_ngrams(
    texts: Iterable[str], folding: np.ndarray, bigrams: int, words: Iterable[str] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return the characters that occur at least twice and the most frequent pairs.

    Two of three frequent pairs are the end of one word and the beginning of the next, which mean nothing together: a
    pair that is part of a word counts as if it had been read so much oftener.

    :param texts: running text.
    :param folding: see `folding_table`.
    :param bigrams: how many pairs.
    :param words: words and names; each pair in them counts `IN_A_WORD` times, and once more for each word.
    :returns: uint32 arrays of code points, (n,) and (bigrams, 2), most frequent first.
    """
    fold = {int(code): chr(int(other)) for code, other in folding}
    characters: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for text in texts:
        folded = text.translate(fold)
        characters.update(folded)
        pairs.update(folded[i : i + 2] for i in range(len(folded) - 1))
    inside: Counter[str] = Counter()
    for word in words:
        folded = word.translate(fold)
        characters.update(folded)
        inside.update(folded[i : i + 2] for i in range(len(folded) - 1))
    for pair, count in inside.items():
        pairs[pair] += count + IN_A_WORD
    kept = [c for c, count in characters.most_common() if ord(c) in BASIC_HAN and count >= MIN_CHARACTER_COUNT]
    known = set(kept)
    chosen = []
    for pair, _ in pairs.most_common():
        if pair[0] in known and pair[1] in known:
            chosen.append([ord(pair[0]), ord(pair[1])])
            if len(chosen) == bigrams:
                break
    return np.array([ord(c) for c in kept], dtype=np.uint32), np.array(chosen, dtype=np.uint32).reshape(-1, 2)


def trimmed_tokenizer(source: Path) -> tuple[str, list[int]]:
    """Take the pieces that cannot matter out of MiniLM's tokenizer: unused places, and characters of Han and Hangul.

    :param source: the teacher's `tokenizer.json`.
    :returns: the new tokenizer as JSON, without padding, truncation and special tokens, and for each of its ids the
        teacher's id.
    """
    data = json.loads(source.read_text(encoding="utf-8"))
    kept = [(token, index) for token, index in data["model"]["vocab"].items() if not _useless(token)]
    kept.sort(key=lambda item: item[1])
    numbers = {token: number for number, (token, _) in enumerate(kept)}
    data["model"]["vocab"] = numbers
    data["added_tokens"] = [
        added | {"id": numbers[added["content"]]} for added in data["added_tokens"] if added["content"] in numbers
    ]
    data |= {"truncation": None, "padding": None, "post_processor": None}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")), [index for _, index in kept]


def _useless(token: str) -> bool:
    bare = token.removeprefix("##")
    return token.startswith("[unused") or any(
        ord(c) in BASIC_HAN or 0x3040 <= ord(c) < 0x3100 or 0x1100 <= ord(c) < 0x1200 or 0xAC00 <= ord(c) < 0xD7B0
        for c in bare
    )


class StaticVocabulary(NamedTuple):
    """What the rows of a static model stand for: pieces of the tokenizer, then characters, then pairs."""

    tokenizer: str
    teacher_ids: list[int]
    characters: np.ndarray
    bigrams: np.ndarray
    folding: np.ndarray

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.pieces + len(self.characters) + len(self.bigrams)

    @property
    def pieces(self) -> int:
        """Number of rows that belong to pieces of the tokenizer."""
        return len(json.loads(self.tokenizer)["model"]["vocab"])


def choose_vocabulary(trained: Corpus, tokenizer: Path, unihan_variants: Path, bigrams: int) -> StaticVocabulary:
    """Choose the rows from the Chinese training text.

    :param trained: what is trained on.
    :param tokenizer: the teacher's `tokenizer.json`.
    :param unihan_variants: `Unihan_Variants.txt.bz2`.
    :param bigrams: how many pairs of characters.
    """
    texts = chinese_texts(trained)
    folding = folding_table(unihan_variants, texts)
    return StaticVocabulary(*trimmed_tokenizer(tokenizer), *_chosen(trained, folding, bigrams), folding)


def renewed_vocabulary(known: StaticVocabulary, trained: Corpus, bigrams: int) -> StaticVocabulary:
    """Choose the Chinese rows anew for a model that goes on with other text; its pieces stay.

    :param known: what the rows of the trained model stand for (`known_vocabulary`).
    """
    characters, pairs = _chosen(trained, known.folding, bigrams)
    return known._replace(characters=characters, bigrams=pairs)


def _chosen(trained: Corpus, folding: np.ndarray, bigrams: int) -> tuple[np.ndarray, np.ndarray]:
    towns = [name.zh for name in trained.names if name.source in NO_WORDS]
    words = {name.zh for name in trained.names if name.source not in NO_WORDS}
    return choose_ngrams([*chinese_texts(trained), *towns], folding, bigrams, words)


def moved_rows(rows: np.ndarray, known: StaticVocabulary, renewed: StaticVocabulary) -> np.ndarray:
    """Put the rows of a trained model where another vocabulary has them.

    :param rows: float32 (tokens of `known`, dimension).
    :returns: float32 (tokens of `renewed`, dimension); zeros for what was not known, which changes no mean's direction.
    """
    places = {token: place for place, token in enumerate(_han_tokens(known))}
    pieces = known.pieces
    moved = np.zeros((renewed.size, rows.shape[1]), dtype=np.float32)
    moved[:pieces] = rows[:pieces]
    for place, token in enumerate(_han_tokens(renewed)):
        if token in places:
            moved[pieces + place] = rows[pieces + places[token]]
    return moved


def _han_tokens(vocabulary: StaticVocabulary) -> list[tuple[int, ...]]:
    return [(int(code),) for code in vocabulary.characters] + [(int(a), int(b)) for a, b in vocabulary.bigrams]


def known_vocabulary(folder: Path) -> StaticVocabulary:
    """Return what the rows of a trained model stand for.

    :param folder: written by `write_static`; `teacher_ids` is empty.
    """
    tensors = load_file(folder / "model.safetensors")
    tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    return StaticVocabulary(tokenizer, [], *(tensors[name] for name in ("han_characters", "han_bigrams", "folding")))


def known_rows(folder: Path) -> np.ndarray:
    """Return the rows of a trained model, float32 (tokens, dimension), so long that the mean length is 1."""
    tensors = load_file(folder / "model.safetensors")
    rows = tensors["embeddings"].astype(np.float32) * tensors["weights"][:, None]
    return np.asarray(rows / np.linalg.norm(rows, axis=1).mean())


def chinese_texts(trained: Corpus) -> list[str]:
    """Return the Chinese running text of the corpus, which is in simplified characters."""
    return [pair.zh for pair in trained.pairs] + ["".join(passage.pieces) for passage in trained.news]


class StaticTokenizer:
    """Turns texts into rows of the static model, as `components.embedders.static_model` does at run time."""

    def __init__(self, vocabulary: StaticVocabulary) -> None:
        self._tokenizer = Tokenizer.from_str(vocabulary.tokenizer)
        self._ngrams = HanNgrams(vocabulary.characters, vocabulary.bigrams, vocabulary.folding)
        self._offset = self._tokenizer.get_vocab_size()
        self._unknown = self._tokenizer.token_to_id("[UNK]")

    def encode(self, texts: list[str]) -> list[np.ndarray]:
        """Return int32 rows for each text, unknown tokens left out."""
        parts = self._ngrams.split(texts)
        encodings = self._tokenizer.encode_batch_fast([rest for rest, _ in parts], add_special_tokens=False)
        found = []
        for encoding, (_, rows) in zip(encodings, parts, strict=True):
            ids = np.array(encoding.ids, dtype=np.int32)
            found.append(np.concatenate([ids[ids != self._unknown], rows + self._offset]).astype(np.int32))
        return found
