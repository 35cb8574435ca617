"""Terms of the keyword index as words that the analyzer of any search engine leaves whole."""

from collections.abc import Iterable

CODED = "x"
"""What a coded word begins with, and each character in it: 婚假 is x5a5ax5047."""


def plain_word(term: str) -> str:
    """Return a term as a word of ASCII letters and digits; different terms are different words."""
    if term.isascii() and term.isalnum() and not term.startswith(CODED):
        return term
    return "".join(f"{CODED}{ord(character):x}" for character in term)


def plain_words(terms: Iterable[str]) -> str:
    """Return terms as a text of plain words, in their order."""
    return " ".join(map(plain_word, terms))
