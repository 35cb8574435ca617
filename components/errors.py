"""Errors that a user can act on: each names the thing, its value and the remedy."""

from collections.abc import Sequence


class KhubError(Exception):
    """Base of all errors that are shown to a user as one line.

    :param message: what is wrong, with the name and the value of the thing.
    :param remedy: what to do about it, as a short imperative sentence.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """One line: the message, then the remedy."""
        line = f"{self.message}: {self.remedy}" if self.remedy else self.message
        return " ".join(line.split())


class SourceError(KhubError):
    """A file that cannot become a document (missing, unreadable, encrypted, damaged, too large …)."""


class MetadataError(KhubError):
    """Metadata of documents that nobody can give."""


class ClosedError(KhubError):
    """Something of which a part is closed to the caller, who may neither replace nor delete it."""


class CollectionError(KhubError):
    """A collection that does not exist, or whose name is ambiguous.

    :param among: the collections that could be named instead.
    """

    def __init__(self, message: str, remedy: str = "", among: Sequence[str] = ()) -> None:
        super().__init__(message, remedy)
        self.among = tuple(among)


class BindingError(KhubError):
    """A graph whose embedder, tokenizer or splitter differs from the one that filled the collection."""


class FilterError(KhubError):
    """A metadata filter that does not parse."""


class QueryError(KhubError):
    """A question that cannot be asked (empty, too long)."""


class RetrievalError(KhubError):
    """No leg could answer."""


class MissingLibraryError(KhubError):
    """A model or a part whose Python package is not installed, or cannot be imported on this machine."""


class StoreError(KhubError):
    """An index or the catalog that cannot be used."""


class GraphError(KhubError):
    """A graph file that cannot be loaded; names file, line, component and remedy."""


class EvaluationError(KhubError):
    """Questions, answers or scores that do not fit together, so that no figure of them would be true."""
