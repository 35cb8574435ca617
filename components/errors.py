"""Errors that a user can act on: each names the thing, its value and the remedy."""

from collections.abc import Sequence

FINER_CODES = {
    "access_level_not_allowed": "An access level that the caller may not give",
    "address_in_use": "An address that cannot be listened on",
    "address_not_allowed": "An address that other machines reach, without a token",
    "binding_embedder": "Vectors of another embedder than the one that compares them",
    "binding_store": "A collection that lies in another document store",
    "clock_off": "A machine whose clock is not that of the database",
    "collection_ambiguous": "No collection is named, and there are several",
    "collection_empty": "A collection without documents",
    "confirmation_needed": "Documents that would be removed, which nobody has confirmed",
    "document_ambiguous": "A name that several documents have",
    "document_unknown": "A name or an id that no document has",
    "embedding_failed": "An embedder that gave no vectors, or none that can be used",
    "filter_field_not_allowed": "A field of a filter that is not for callers",
    "filter_too_large": "A filter with too many values, conditions or levels",
    "graph_class_unknown": "A class or a plug-in that is not there, or cannot be used in a graph",
    "graph_connection_invalid": "A connection, an input or an output of a graph that does not fit its components",
    "graph_failed": "A graph whose run, or whose loading of models, failed",
    "graph_input_wrong": "An input that a graph lacks, or that is not given",
    "graph_module_not_allowed": "A module that graphs may not name before it is trusted",
    "graph_not_trusted": "A graph that runs or sends what nobody has allowed yet",
    "graph_parameter_unknown": "A parameter that a component does not have",
    "graph_timeout": "A graph that took too long",
    "graph_unreadable": "A graph file that cannot be read",
    "job_cancelled": "Work that was cancelled",
    "job_unknown": "An id that no job has",
    "metadata_reserved": "Metadata of a name that the hub itself uses",
    "model_unknown": "A name that no model has",
    "name_invalid": "A name that cannot be used",
    "name_taken": "A name that something else has already",
    "page_unknown": "A page that a document does not have",
    "passage_ambiguous": "The beginning of an id that several passages have",
    "passage_unknown": "An id that no passage has",
    "picture_unknown": "An id that no picture has",
    "program_failed": "A program of the hub that did not start, or ended early",
    "prompt_invalid": "A prompt that cannot be read or filled",
    "section_ambiguous": "A heading that several sections have",
    "section_unknown": "A section that a document does not have",
    "setting_invalid": "An environment variable whose value cannot be used",
    "source_changed": "A file that changed since, or while, it was read",
    "source_kind_wrong": "A folder in place of a file, or the other way round",
    "source_missing": "A path where there is no file",
    "source_needs_ocr": "A file whose text only OCR can read",
    "source_not_allowed": "A path outside of the folders that may be read",
    "source_timeout": "A file that took too long to read",
    "source_type_not_read": "A file of a type that is not read",
    "store_newer": "A catalog that a newer version has made",
    "store_occupied": "A place for a hub in which there is one already",
    "store_unreachable": "A document store that cannot be reached or opened",
    "token_unknown": "A name that no token has",
    "trace_unknown": "An id that no trace has",
    "url_not_allowed": "A web address that may not be fetched",
    "url_unreachable": "A web address that could not be fetched",
}
"""Codes that are given where an error is raised, and what is wrong; each class of errors has one of its own, too."""


class KhubError(Exception):
    """An error that is shown to a user as one line; the base of all others.

    :param message: what is wrong, with the name and the value of the thing.
    :param remedy: what to do about it, as a short imperative sentence.
    :param code: what is wrong in one word that never changes, for programs: one of `FINER_CODES`, or of another class;
        the class's own if it is left out.
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
    """A file that cannot be read or become a document."""

    code = "source_unreadable"


class SourceDamagedError(SourceError):
    """A file that is damaged, or not of the kind that its name says."""

    code = "source_damaged"


class SourceEncryptedError(SourceError):
    """A file that is encrypted or protected."""

    code = "source_encrypted"


class SourceSizeError(SourceError):
    """A file that is too large, or needs too much memory."""

    code = "source_too_large"


class SourceEmptyError(SourceError):
    """A file, a page or a row in which there is no text."""

    code = "source_without_text"


class MetadataError(KhubError):
    """Metadata of documents that nobody can give."""

    code = "metadata_invalid"


class ClosedError(KhubError):
    """A change of something that is closed to the caller, in part or as a whole."""

    code = "access_denied"


class CollectionError(KhubError):
    """A collection that does not exist, or a part of one that cannot be given.

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


class IndexDamagedError(StoreError):
    """An index that is damaged, missing or half written, and has to be built again."""

    code = "index_damaged"


class GraphError(KhubError):
    """A graph file that cannot be loaded; names file, line, component and remedy."""

    code = "graph_invalid"


class GraphKindError(GraphError):
    """A graph of another kind than the one that is needed."""

    code = "graph_kind_wrong"


class StageError(GraphError):
    """A graph that lacks a stage, or holds one where it cannot stand."""

    code = "graph_stage_missing"


class ParameterError(GraphError):
    """A parameter of a component whose value cannot be used."""

    code = "graph_parameter_invalid"


class EvaluationError(KhubError):
    """Questions, answers, scores, data sets or thresholds that do not fit together or cannot be measured."""

    code = "evaluation_failed"


class GoldenSetError(KhubError):
    """Golden questions, cases or drafts that are missing, damaged or do not fit the documents."""

    code = "golden_set_invalid"


class ModelFileError(KhubError):
    """A file of a model that is missing, damaged or not of a known form."""

    code = "model_damaged"


class FileError(KhubError):
    """A file of settings or results that cannot be read or written."""

    code = "file_unusable"


class OptionError(KhubError):
    """Options or arguments of a command that are missing, contradict each other or name nothing."""

    code = "option_invalid"
