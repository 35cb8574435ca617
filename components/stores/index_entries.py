"""What the indexes are given of a chunk: all else is read from the catalog, and stores differ in what they hold."""

from haystack import Document

from khub.components.text.chunk_text import indexed_text
from khub.components.text.plain_words import plain_words
from khub.components.text.symbols import index_terms


def bare_document(chunk_id: str, embedding: list[float] | None, words_of: Document | None = None) -> Document:
    """Return a chunk's id and vector, and what its keywords are found by where the store holds them, too.

    :param words_of: the chunk, for such a store.
    """
    if words_of is None:
        return Document(id=chunk_id, embedding=embedding)
    words = plain_words(index_terms(indexed_text(words_of)))
    return Document(id=chunk_id, embedding=embedding, content=words, meta={"language": _language(words_of)})


def sparse_entry(chunk: Document) -> tuple[str, list[str]]:
    """Return a chunk's id, and its terms behind the mark of its language, for the keyword index."""
    return chunk.id, [language_mark(_language(chunk)), *index_terms(indexed_text(chunk))]


def language_mark(language: str) -> str:
    """Return the token by which the chunks of one language are found; no text can hold it.

    :param language: as `khub.components.text.language.detect_language` names it.
    """
    return f"\x1flanguage:{language}"


def _language(chunk: Document) -> str:
    return chunk.meta.get("language") or "und"
