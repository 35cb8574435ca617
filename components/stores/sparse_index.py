"""Keyword index of a collection: BM25 in tantivy (k1 1.2, b 0.75, Lucene's formula), persistent and incremental."""

import contextlib
import itertools
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import tantivy

from khub.components.errors import IndexDamagedError, StoreError
from khub.components.private_files import private_folder
from khub.components.question import Expansion
from khub.components.stores.index_entries import language_mark
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.text.symbols import is_symbol

logger = logging.getLogger(__name__)

WRITER_MEMORY = 64 << 20
ID_FILTER_LIMIT = 5000
LOCK_PATIENCE_S = 10.0
LOCK_POLL_S = 0.01


class SparseIndex(KeywordIndex):
    """Tokens of chunks in one folder.

    Writing is safe against kills: what was not committed is gone, what was committed stays. Readers see a commit of
    another process after `refresh`.

    :param folder: the index's folder; made by the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._schema = _schema()
        self._opened: tantivy.Index | None = None
        self._positions: bool | None = None
        self._symbols: bool | None = None

    def write(self, chunks: Iterable[tuple[str, Sequence[str]]], removed: Sequence[str] = ()) -> None:
        """Replace chunks by id, remove others, and commit; returns when the files have come to rest.

        :param chunks: (chunk id, terms without white space, see `khub.components.text.symbols.index_terms`). Symbols
            have a field of their own: they do not change the length of a text, and so no score.
        :param removed: ids to take out; unknown ones are passed over.
        """
        with _readable_panics(self.folder):
            writer = self._writer(chunks, removed)
        self._commit(writer)

    @contextlib.contextmanager
    def writing(self, chunks: Iterable[tuple[str, Sequence[str]]], removed: Sequence[str] = ()) -> Iterator[None]:
        """Write as `write` does, while the block runs; the files have come to rest when it is left.

        An error in the block does not take the commit back.

        :raises StoreError: at the end of the block, if the commit failed.
        """
        with ThreadPoolExecutor(1) as commits:
            with _readable_panics(self.folder):
                writer = self._writer(chunks, removed)
            try:
                # tantivy commits without Python's global lock, and Chroma keeps that lock while it works
                commit = commits.submit(self._commit, writer)
            except BaseException:
                writer.wait_merging_threads()  # there is no thread left: give tantivy's lock back
                raise
            try:
                yield
            except BaseException:
                failure = _end_of(commit)
                if failure is not None:
                    logger.warning("%s", failure)  # the block's error is the one that is raised
                raise
            failure = _end_of(commit)
            if failure is not None:
                raise failure

    def _writer(self, chunks: Iterable[tuple[str, Sequence[str]]], removed: Sequence[str]) -> tantivy.IndexWriter:
        private_folder(self.folder)
        writer = self._lock()
        try:
            for chunk_id in removed:
                writer.delete_documents_by_term("id", chunk_id)
            for chunk_id, tokens in chunks:
                writer.delete_documents_by_term("id", chunk_id)
                writer.add_document(_document(chunk_id, tokens))
        except BaseException:
            writer.wait_merging_threads()
            raise
        return writer

    def _lock(self) -> tantivy.IndexWriter:
        """Take tantivy's lock.

        Callers take turns, and yet it can be held for a moment: a child process that is just being started has copies
        of all open files, the lock's among them, until it runs its own program.
        """
        # one that was built without positions of words goes on without them
        known = tantivy.Index.exists(str(self.folder))
        index = tantivy.Index.open(str(self.folder)) if known else tantivy.Index(self._schema, path=str(self.folder))
        deadline = time.monotonic() + LOCK_PATIENCE_S
        while True:
            try:
                return index.writer(heap_size=WRITER_MEMORY, num_threads=1)
            except ValueError as error:
                if "LockBusy" not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(LOCK_POLL_S)

    def _commit(self, writer: tantivy.IndexWriter) -> None:
        with _readable_panics(self.folder):
            try:
                writer.commit()
            finally:
                # merges go on in threads of their own; other processes may only meet files at rest
                writer.wait_merging_threads()

    def refresh(self) -> None:
        """See what other processes have committed."""
        with _readable_panics(self.folder):
            self._index().reload()

    def search(
        self,
        terms: Sequence[str],
        top_k: int,
        only: Sequence[str] | None = None,
        expansions: Sequence[Expansion] = (),
        phrases: Sequence[Sequence[str]] = (),
        language: str | None = None,
    ) -> list[tuple[str, float]]:
        """Return the best chunks; those of a language are the ones that were written with its `language_mark`."""
        if not terms or top_k < 1:
            return []
        parts = [(tantivy.Occur.Should, self._term(term)) for term in terms]
        parts += [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._sequence(other.terms), other.weight))
            for other in expansions
        ]
        parts += [(tantivy.Occur.Must, self._sequence(phrase)) for phrase in phrases]
        query = tantivy.Query.boolean_query(parts)
        if only is not None:
            query = self._among(query, tantivy.Query.term_set_query(self._schema, "id", list(only)))
        if language is not None:
            query = self._among(query, self._term(language_mark(language)))
        with _readable_panics(self.folder):
            searcher = self._index().searcher()
            hits = searcher.search(query, limit=top_k, count=False).hits
            return [(searcher.doc(address).get_first("id"), score) for score, address in hits]  # type: ignore[misc]

    def holds(self, characters: Sequence[str]) -> bool:
        """Return whether a chunk holds Han characters one behind the other."""
        if not characters or not all(characters):
            return False
        places = [f"[{choice}]" for choice in characters]
        tokens = [one + other for one, other in itertools.pairwise(places)] or [f".?{places[0]}.?"]
        queries = [tantivy.Query.regex_query(self._schema, "text", token) for token in tokens]
        with _readable_panics(self.folder):
            held = self._any(tantivy.Query.boolean_query([(tantivy.Occur.Must, one) for one in queries]))
            if not held or len(tokens) == 1 or not self.knows_positions:
                return held
            try:
                return self._any(tantivy.Query.regex_phrase_query(self._schema, "text", list(tokens)))
            except ValueError as error:
                if "expansions" not in str(error):
                    raise
                return True  # too many pairs for a phrase: that one chunk holds some of each has to do

    def _any(self, query: tantivy.Query) -> bool:
        return bool(self._index().searcher().search(query, limit=1, count=False).hits)

    def languages(self, named: Sequence[str]) -> list[str]:
        """Return those of the languages in which there are chunks, as far as they were written with a mark."""
        found = self._frequencies([language_mark(language) for language in named])
        return [language for language in named if found[language_mark(language)]]

    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with _readable_panics(self.folder):
            searcher = self._index().searcher()
            return {term: self._frequency(searcher, term) for term in dict.fromkeys(terms)}

    def _frequency(self, searcher: tantivy.Searcher, term: str) -> int:
        if not is_symbol(term):
            return searcher.doc_freq("text", term)
        return searcher.doc_freq("symbols", term) if self.knows_symbols else 0

    @property
    def knows_symbols(self) -> bool:
        """Whether the index was made with a place for symbols; else it finds none, and `khub reindex` makes it anew."""
        if self._symbols is None:
            with _readable_panics(self.folder):
                try:
                    self._index().searcher().doc_freq("symbols", "")
                except ValueError as error:
                    if "symbols" not in str(error):
                        raise
                    self._symbols = False
                else:
                    self._symbols = True
        return self._symbols

    @property
    def knows_positions(self) -> bool:
        """Whether words of a phrase are looked for one behind the other; else anywhere in a chunk."""
        if self._positions is None:
            with _readable_panics(self.folder):
                searcher = self._index().searcher()
                try:
                    searcher.search(tantivy.Query.phrase_query(self._schema, "text", ["a", "b"]), limit=1)
                except ValueError as error:
                    if "positions" not in str(error):
                        raise
                    self._positions = False
                else:
                    self._positions = True
        return self._positions

    def _term(self, term: str) -> tantivy.Query:
        if is_symbol(term):
            if not self.knows_symbols:
                return tantivy.Query.empty_query()
            return tantivy.Query.term_query(self._schema, "symbols", term, "basic")
        return tantivy.Query.term_query(self._schema, "text", term, "freq")

    def _sequence(self, tokens: Sequence[str]) -> tantivy.Query:
        if len(tokens) == 1:
            return self._term(tokens[0])
        if self.knows_positions:
            return tantivy.Query.phrase_query(self._schema, "text", list(tokens))
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, self._term(token)) for token in tokens])

    def count(self) -> int:
        """Return the number of chunks."""
        with _readable_panics(self.folder):
            return self._index().searcher().num_docs

    def ids(self) -> set[str]:
        """Return all chunk ids."""
        with _readable_panics(self.folder):
            searcher = self._index().searcher()
            if not searcher.num_docs:
                return set()
            hits = searcher.search(tantivy.Query.all_query(), limit=searcher.num_docs, count=False).hits
            return {str(searcher.doc(address).get_first("id")) for _, address in hits}

    def index_files(self) -> list[Path]:
        """Return the files that only writes change, in a fixed order."""
        return sorted(f for f in self.folder.iterdir() if f.is_file() and f.suffix != ".lock")

    def _among(self, query: tantivy.Query, wanted: tantivy.Query) -> tantivy.Query:
        return tantivy.Query.boolean_query([
            (tantivy.Occur.Must, query),
            (tantivy.Occur.Must, tantivy.Query.const_score_query(wanted, 0.0)),
        ])  # fmt: skip

    def _index(self) -> tantivy.Index:
        if self._opened is None:
            if not self.folder.is_dir() or not tantivy.Index.exists(str(self.folder)):
                raise IndexDamagedError(
                    f"there is no keyword index in {self.folder}", "rebuild it: khub doctor --repair"
                )
            self._opened = tantivy.Index.open(str(self.folder))
            self._opened.config_reader(reload_policy="manual")
            self._opened.reload()
        return self._opened


def _end_of(commit: Future[None]) -> BaseException | None:
    """Wait for a commit, through any number of Ctrl-C, as the next writer is let in behind it; return its error."""
    interrupt: BaseException | None = None
    while not commit.done():
        try:
            wait([commit])
        except BaseException as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
    return commit.exception()


def _document(chunk_id: str, terms: Sequence[str]) -> tantivy.Document:
    """Return what is stored of a chunk; an index that is older than symbols passes them over."""
    words = " ".join(term for term in terms if not is_symbol(term))
    symbols = " ".join(filter(is_symbol, terms))
    return tantivy.Document(id=chunk_id, text=words, **({"symbols": symbols} if symbols else {}))


def _schema() -> tantivy.Schema:
    builder: Any = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("symbols", stored=False, tokenizer_name="whitespace", index_option="basic")
    found: tantivy.Schema = builder.build()
    return found


@contextlib.contextmanager
def _readable_panics(folder: Path) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except BaseException as error:
        # broken files can make tantivy panic; pyo3 raises that as a BaseException of a class that cannot be imported
        if isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException":
            reason = " ".join(str(error).split())[:200]
            raise IndexDamagedError(
                f"the keyword index in {folder} cannot be used ({reason})", "rebuild it: khub doctor --repair"
            ) from error
        raise
