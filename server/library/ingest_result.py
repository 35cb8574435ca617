"""What became of the files of an ingest, and how far one has come."""

from dataclasses import dataclass, field

from khub.components.degraded_entry import DegradedEntry
from khub.components.failed_file import FailedFile
from khub.components.written_document import WrittenDocument
from khub.server.library.source_walk import Sources


@dataclass
class IngestResult:
    """What became of the files.

    :param written: `{doc_id, source, pages, chunks}` of files that are new or changed.
    :param unchanged: paths that were skipped.
    :param failed: what could not be read, and why.
    :param passed_over: `{source, reason}` of files in folders whose kind is not read, and of what a `.gitignore` leaves
        out, 1,000 at most.
    :param passed_over_count: how many they are.
    :param ignored_count: how many of them a `.gitignore`, or their name, leaves out; a folder counts as one.
    :param links_left: symbolic links out of a named folder that were not followed.
    :param degraded: `{stage, reason}` of what was replaced by the next best thing, each once; with `source` and
        `chunks` (how many) where it was so in a part of one document, also with `pages` and `remedy` where pages of it
        could not be read, or with `attachments`, `count` and `remedy` where files attached to a mail were left out.
    :param removed: sources of documents that were taken out because they are no longer there.
    :param overtaken: files that a job brings which was asked for later, and waits.
    :param kept: files of documents that are there although a walk of their folder leaves them out.
    """

    collection: str
    graph: str
    written: list[WrittenDocument] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    passed_over: list[dict[str, str]] = field(default_factory=list)
    passed_over_count: int = 0
    ignored_count: int = 0
    links_left: list[str] = field(default_factory=list)
    degraded: list[DegradedEntry] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    overtaken: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Progress:
    """How far an ingest has come: files done of all, chunks written, and pages of files that have pages.

    :param at_work: files that are next, together.
    :param ended: files of which it was decided since the last time, each with `written`, `unchanged` or `failed`.
    :param share: of the work that is done, from 0 to 1, by the sizes of the files; None where they have none.
    """

    done: int
    total: int
    chunks: int
    pages: int
    failed: int
    at_work: tuple[str, ...] = ()
    ended: tuple[tuple[str, str], ...] = ()
    share: float | None = None


def result_of(found: Sources, collection: str, graph_name: str) -> IngestResult:
    """Return the result of an ingest that has read nothing yet of what was found."""
    return IngestResult(
        collection,
        graph_name,
        failed=list(found.failed),
        passed_over=found.passed_over,
        passed_over_count=found.passed_over_count,
        ignored_count=found.ignored_count,
        links_left=found.links_left,
    )
