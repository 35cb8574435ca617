"""What a document store is given of a chunk: all else is read from the catalog, and stores differ in what they hold."""

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
    words, language = plain_words(index_terms(indexed_text(words_of))), words_of.meta.get("language") or "und"
    return Document(id=chunk_id, embedding=embedding, content=words, meta={"language": language})
