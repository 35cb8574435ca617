"""Errors that a user can act on: each names the thing, its value and the remedy."""

from collections.abc import Sequence


class KhubError(Exception):
    """Base of all errors that are shown to a user as one line.

    :param message: what is wrong, with the name and the value of the thing.
    :param remedy: what to do about it, as a short imperative sentence.
    :param code: what is wrong in one word that never changes, for programs; the class's own if it is left out.
    """

    code = "failed"

    def __init__(self, message: str, remedy: str = "", *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.code = code or self.code

    def __str__(self) -> str:
        """One line: the message, then the remedy."""
        line = f"{self.message}: {self.remedy}" if self.remedy else self.message
        return " ".join(line.split())


class SourceError(KhubError):
    """A file that cannot become a document (missing, unreadable, encrypted, damaged, too large …)."""

    code = "source_unreadable"


class MetadataError(KhubError):
    """Metadata of documents that nobody can give."""

    code = "metadata_invalid"


class ClosedError(KhubError):
    """Something of which a part is closed to the caller, who may neither replace nor delete it."""

    code = "access_denied"


class CollectionError(KhubError):
    """A collection that does not exist, or whose name is ambiguous.

    :param among: the collections that could be named instead.
    """

    code = "collection_unknown"

    def __init__(self, message: str, remedy: str = "", among: Sequence[str] = (), *, code: str = "") -> None:
        super().__init__(message, remedy, code=code)
        self.among = tuple(among)


class BindingError(KhubError):
    """A graph whose embedder, tokenizer or splitter differs from the one that filled the collection."""

    code = "binding_mismatch"


class FilterError(KhubError):
    """A metadata filter that does not parse."""

    code = "filter_invalid"


class QueryError(KhubError):
    """A question that cannot be asked (empty, too long)."""

    code = "query_invalid"


class RetrievalError(KhubError):
    """No leg could answer."""

    code = "retrieval_failed"


class MissingLibraryError(KhubError):
    """A model or a part whose Python package is not installed, or cannot be imported on this machine."""

    code = "library_missing"


class StoreError(KhubError):
    """An index or the catalog that cannot be used."""

    code = "store_failed"


class GraphError(KhubError):
    """A graph file that cannot be loaded; names file, line, component and remedy."""

    code = "graph_invalid"


class EvaluationError(KhubError):
    """Questions, answers or scores that do not fit together, so that no figure of them would be true."""

    code = "evaluation_failed"
