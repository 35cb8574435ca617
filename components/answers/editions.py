"""Editions of one text among the passages: of those that a question for the newest could mean, the newest first."""

from collections.abc import Callable, Sequence
from typing import Any

from haystack import Document

from khub.components.question import Question
from khub.components.text.chunk_text import indexed_text
from khub.components.text.edition_marks import newest_date, newest_version, without_marks
from khub.components.text.naming import years_in
from khub.components.text.stopwords import ENGLISH
from khub.components.text.term_search import TermSearch
from khub.components.text.tokenizer import tokenize

LOOKED_AT = 10
"""So many first passages may change places: what stands behind them hardly has to do with the question."""
SAME_WORDS = 0.5
"""Jaccard similarity of their words, numbers apart, from which two passages are editions of one."""
AS_GOOD = 0.8
"""Share of the best BM25 score from which, as far as words tell, a passage is as good as the first."""
GIVEN = ("date", "year", "version", "created", "modified")
NEWEST = ("newest", "current")
"""Kinds of preferences (see `khub.components.query.named`) that ask for what holds now."""
FILE = ("modified_at", "ingested_at")

Key = tuple[Any, ...]


def newest_first(documents: list[Document], question: Question) -> list[Document]:
    """Let the newest edition have the place of the best one, and so on, where the question asks for the newest.

    Scores of passages that differ in little but a year say nothing about which of them is meant. Editions are passages
    of documents whose names differ in a date or a version alone, which have most words in common, or which the keyword
    leg finds equally good; and which hold as many of the question's words. Each document takes part with its best
    passage. All others stay where they are, and nothing is left out.

    :param documents: passages, best first.
    :param question: its `preferences` say whether the newest is asked for, and in which words.
    """
    words = [one.words for one in question.preferences if one.kind in NEWEST]
    if not words or years_in(question.text):  # whoever names a year means that one
        return documents
    asked = {term for term in question.terms if not term.isdigit()} - {
        term for word in words for term in tokenize(word)
    }
    order = list(documents)
    for family in _families(_heads(documents), asked):
        places = sorted(family)
        keys = _keys([documents[place] for place in places])
        newest = sorted(range(len(places)), key=lambda at: keys[at], reverse=True)  # equals stay in their order
        for place, at in zip(places, newest, strict=True):
            order[place] = documents[places[at]]
    return order


def _heads(documents: list[Document]) -> dict[int, Document]:
    """Return the first passage of each section of a document, by its place."""
    first: dict[tuple[str, str], int] = {}
    for place, document in enumerate(documents[:LOOKED_AT]):
        first.setdefault((_document(document), str(document.meta.get("section"))), place)
    return {place: documents[place] for place in first.values()}


def _families(heads: dict[int, Document], asked: set[str]) -> list[list[int]]:
    """Return the places of passages that are editions of one text, the best one of each first."""
    search = TermSearch(asked)
    held = {place: len(search.held(indexed_text(document))) for place, document in heads.items()}
    best = max((_keywords(document) for document in heads.values()), default=0.0)
    families: list[list[int]] = []
    for place, document in heads.items():
        good = best > 0 and _keywords(document) >= AS_GOOD * best
        for family in families:
            first = heads[family[0]]
            equally_good = good and _keywords(first) >= AS_GOOD * best and _document(first) != _document(document)
            if held[place] >= held[family[0]] and (equally_good or _alike(first, document)):
                family.append(place)
                break
        else:
            families.append([place])
    return [family for family in families if len(family) > 1]


def _document(passage: Document) -> str:
    return str(passage.meta.get("doc_id"))


def _keywords(document: Document) -> float:
    return float((document.meta.get("scores") or {}).get("sparse", 0.0))


def _alike(one: Document, other: Document) -> bool:
    if _document(one) == _document(other):
        return _is_marked(one) and _is_marked(other) and without_marks(_section(one)) == without_marks(_section(other))
    names = zip(_names(one), _names(other), strict=True)
    if any(mine and mine == theirs for mine, theirs in names):
        return True
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) >= SAME_WORDS * len(mine | theirs) > 0


def _is_marked(document: Document) -> bool:
    """Say whether a passage's own section has a date or a version: other parts of a document are no editions."""
    section = _section(document)
    return bool(newest_date(section) or newest_version(section, bare=True))


def _words(document: Document) -> set[str]:
    return {term for term in tokenize(indexed_text(document)) if not any(map(str.isdigit, term))} - ENGLISH


def _names(document: Document) -> tuple[str, str]:
    return without_marks(_stem(document)), without_marks(str(document.meta.get("title") or ""))


def _stem(document: Document) -> str:
    name = str(document.meta.get("source") or "").replace("\\", "/").rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _section(document: Document) -> str:
    return str(document.meta.get("section") or "")


def _name(document: Document) -> str:
    return f"{_stem(document)}\n{document.meta.get('title') or ''}"


def _metadata(keys: Sequence[str]) -> Callable[[Document], str]:
    return lambda document: "\n".join(f"{key} {document.meta[key]}" for key in keys if document.meta.get(key))


def _text(document: Document) -> str:
    return document.content or ""


_PLACES: tuple[tuple[Callable[[Document], str], bool], ...] = (
    (_name, True),
    (_section, True),
    (_metadata(GIVEN), True),
    (_text, False),
    (_metadata(FILE), False),
)
"""Where an edition is told, the surest first, and whether a bare number is a version there."""


def _keys(documents: list[Document]) -> list[Key]:
    """Return by what the documents are ordered: dates or versions of the first place where these differ."""
    for told, bare in _PLACES:
        texts = [told(document) for document in documents]
        for keys in ([newest_date(text) for text in texts], [newest_version(text, bare) for text in texts]):
            if len(set(filter(None, keys))) > 1:
                return [(key,) if key else _elsewhere(one, key) for one, key in zip(documents, keys, strict=True)]
    return [()] * len(documents)


def _elsewhere(document: Document, empty: Any) -> Key:
    """Return the date that a document has in its text, where names of the others have one; else what is below all."""
    return (newest_date(_text(document)) if empty == "" else empty,)
