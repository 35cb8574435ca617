"""Mistyped words of a question, and the words of the documents that they were to be."""

import functools
import re
from collections.abc import Iterator

from khub.components.embedders.model_files import read_tokenizer
from khub.components.embedders.model_folder import find_model
from khub.components.query.collection_words import CollectionWords
from khub.components.query.phrases import QUOTED
from khub.components.query.translations import read_translations
from khub.components.query.word_glosses import SHIPPED
from khub.components.text.stopwords import ENGLISH
from khub.components.text.tokenizer import HAN, HANGUL, KANA, tokenize

SHORTEST = 5
"""Letters of a word that is looked at; of one that only lacks a letter, one less."""
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéè"
MOST_WORDS = 5
"""Of a question, that no document has: one with more of them is in another language, or about something else."""
MODEL = "khub-fast"
"""Whose vocabulary and table of translations tell English words, beside the table of glosses."""
_PREFIXES = ("un", "re", "non", "pre", "sub", "over", "multi", "anti", "inter", "micro")
_SUFFIXES = ("er", "ers", "or", "ed", "ing", "ly", "able", "ness", "less", "ful", "ist", "ism", "ize", "ise")
_WORD = re.compile(rf"(?<![\w./@\\'’])[^\W\d_{HAN}{KANA}{HANGUL}]++(?![\d_@\\]|[./]\w)")


def corrections(text: str, words: CollectionWords, known: set[str]) -> dict[str, str]:
    """Return what is searched for instead of mistyped words of a question: word as typed -> word of the documents.

    A word is mistyped when the documents do not hold it, it is no English word, and one letter that is missing, too
    many, another one or in the wrong place makes a word of theirs of it. Words in quotation marks stay, as do names
    and codes: there, one letter makes another person, or part.

    :param text: the question.
    :param words: of the collection.
    :param known: terms that other words stand in for.
    """
    typed = {word: tokenize(word)[0] for word in _words(text)}
    if not typed:
        return {}
    held = {*words.holding(typed.values()), *known}
    unknown = [word for word, term in typed.items() if term not in held and not _is_english(word.lower())]
    found = {word: _meant(word, words) for word in unknown[:MOST_WORDS]}
    return {word: meant for word, meant in found.items() if meant} if len(unknown) <= MOST_WORDS else {}


def corrected(text: str, found: dict[str, str]) -> str:
    """Return a text with its mistyped words replaced."""
    return _WORD.sub(lambda match: found.get(match[0], match[0]), text) if found else text


def slips_of(typed: str) -> set[str]:
    """Return what a word may have been to be: with a letter more, less or replaced, or two that changed places.

    (P. Norvig, *How to Write a Spelling Corrector*, 2007.) A word that is short lacks a letter behind its first one.

    :param typed: in small letters.
    """
    parts = [(typed[:at], typed[at:]) for at in range(len(typed) + 1)]
    added = {head + letter + tail for head, tail in parts for letter in LETTERS}
    if len(typed) < SHORTEST:
        return {word for word in added if word[0] == typed[0] and word != typed}
    less = {head + tail[1:] for head, tail in parts if tail}
    # hardly anybody mistypes the first letter, and blades are no clades
    replaced = {head + letter + tail[1:] for head, tail in parts if head and tail for letter in LETTERS}
    swapped = {head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1}
    return (added | less | replaced | swapped) - {typed}


def _words(text: str) -> Iterator[str]:
    hidden = QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    for match in _WORD.finditer(hidden):
        word = match[0]
        begins = not hidden[: match.start()].strip()
        if len(word) >= SHORTEST - 1 and (word.islower() or (begins and word.istitle())):
            yield word


def _meant(word: str, words: CollectionWords) -> str | None:
    plain = word.lower()
    terms = {
        other: tokenize(other)[0] for other in slips_of(plain) if other.removesuffix("s") != plain.removesuffix("s")
    }
    frequent = words.holding(set(terms.values()))
    for other in sorted(terms, key=lambda other: (-frequent.get(terms[other], 0), other)):
        if terms[other] not in frequent:
            return None
        # a stem alone does not tell a word: agencly has that of agency
        held = {found for text in words.texts_with(terms[other]) for found in _WORD.findall(text)}
        same = [found for found in held if found.lower().removesuffix("s") == other.removesuffix("s")]
        # what is written with a capital may be a name, for which no word can be meant that is none
        if same and (word.islower() or any(map(str.islower, same))):
            return other
    return None


def _is_english(word: str) -> bool:
    """Say whether a word is known, or made of one that is: a grader grades."""
    ways = [word, *(word.removeprefix(part) for part in _PREFIXES)]
    ways += [word.removesuffix(part) + end for part in _SUFFIXES for end in ("", "e") if word.endswith(part)]
    terms = [tokenize(way)[0] for way in ways if len(way) >= SHORTEST - 1]
    return not _vocabulary().isdisjoint(terms)


@functools.cache
def _vocabulary() -> frozenset[str]:
    """Return the terms of the words that the hub's model and its tables of translations and glosses have."""
    rows = (line.split("\t") for line in SHIPPED.read_text(encoding="utf-8").splitlines())
    words = {word for row in rows for word in re.findall(r"[a-z]+", row[1].lower())}
    words.update(word for word in read_tokenizer(find_model(MODEL) / "tokenizer.json").get_vocab() if word.isalpha())
    return ENGLISH.union(read_translations(MODEL), (token for word in words for token in tokenize(word)))
