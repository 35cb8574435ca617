"""What stands in `document.meta`: each field that the hub writes, in ingest graphs and in query graphs."""

from typing import Any, TypedDict

_From = TypedDict("_From", {"from": str}, total=False)  # a word of Python's own


class FileFields(TypedDict, total=False):
    """The file, as the hub knows it. Nobody may give metadata of these names.

    :param doc_id: id of the document: a hash of its collection and source.
    :param source: absolute path of the file, of an attached one `MAIL!/NAME`, of a row `FILE#row=ID`.
    :param doc_type: kind of the file: `pdf`, `docx`, `markdown`, `email`, `row` …
    :param title: as the file says it, or as it was found out; None where it has none.
    :param sha256: of its bytes; in ingest graphs.
    :param size: in bytes; in ingest graphs.
    :param recipe: fingerprint of the stages that make its chunks; in ingest graphs.
    :param page_count: of a format with pages; in ingest graphs.
    :param held_file: of an attached file: where its bytes lie while it is read; in ingest graphs.
    """

    doc_id: str
    source: str
    doc_type: str
    title: str | None
    sha256: str
    size: int
    recipe: str | None
    page_count: int
    held_file: Any


class PlaceFields(TypedDict, total=False):
    """The place of a passage in its document, from the splitter on. Nobody may give metadata of these names.

    :param section: headings above it, joined by ` > `; empty where there are none.
    :param page: from 1, the one with most of its text; None for a format without pages.
    :param pages: the first and the last.
    :param start: offset in the text of the document at which it begins.
    :param end: offset at which it ends.
    :param ordinal: its number in the document, from 0.
    :param language: of its text: `zh`, `en` … or `und`.
    :param content_hash: of its text; in ingest graphs.
    :param text_hash: of the text that is embedded, under which the catalog keeps its vector; from the embedder on.
    """

    section: str
    page: int | None
    pages: list[int] | None
    start: int
    end: int
    ordinal: int
    language: str
    content_hash: str
    text_hash: str


class PassageFields(TypedDict, total=False):
    """What else is known of a passage, from the splitter on.

    :param image_refs: ids of the pictures that stand in it as `[IMAGE: ID]`.
    :param boxes: `[page, left, top, right, bottom]` in points, of a PDF: for each column of each page.
    :param page_breaks: offsets in the passage at which its further pages begin.
    :param time_marks: `[offset, seconds]`: from where in the passage on what is said at which time of a recording.
    :param parent: id that all passages of its section share.
    :param parent_start: offset in the text of the document at which that section begins.
    :param parent_end: offset at which that section ends.
    :param table_header: heads of the columns, where it continues a table.
    :param table_caption: what leads to that table.
    :param symbols: names that it defines, of source code.
    :param original: its text as it was split, where a model has changed that.
    :param refined: that a model has mended its text.
    :param refined_from: its text before that, where pictures had been described in it.
    :param captions: id of a picture -> its description.
    :param degraded: `{stage, reason}` of what was replaced by the next best thing.
    :param duplicate_of: id of the passage that the indexes hold in its place.
    """

    image_refs: list[str]
    boxes: list[list[float]]
    page_breaks: list[int]
    time_marks: list[list[int]]
    parent: str
    parent_start: int
    parent_end: int
    table_header: str
    table_caption: str
    symbols: list[str]
    original: str
    refined: bool
    refined_from: str
    captions: dict[str, Any]
    degraded: list[dict[str, str]]
    duplicate_of: str


class SaidFields(TypedDict, total=False):
    """What the file, or the person who gave it, says of the document. Front matter, `--meta` and columns add any other.

    :param author: who wrote it.
    :param created: when, as the file writes it.
    :param modified: when it was last changed, as the file writes it.
    :param modified_at: time of the file on the disk, ISO 8601 in UTC; `--meta modified_at=…` takes its place.
    :param last_modified_by: who changed it last.
    :param subject: what it is about; the subject of a mail.
    :param description: a sentence about it.
    :param keywords: as the file lists them.
    :param category: as the file has it.
    :param publisher: of a book.
    :param site: name of the site of a web page.
    :param programming_language: of a notebook.
    :param url: the address from which it was fetched, without user, password, token and signature.
    :param access_level: one of these levels opens it to a reader.
    :param given_metadata: key that a person has given -> what the file itself says.
    :param author_kind: `assistant` where no person wrote it, but an assistant for one.
    :param synced_hash: state of the file, as the program calls it that keeps a collection like its files.
    """

    author: str
    created: str
    modified: str
    modified_at: str
    last_modified_by: str
    subject: str
    description: str
    keywords: str
    category: str
    publisher: str
    site: str
    programming_language: str
    url: str
    access_level: str | list[str]
    given_metadata: dict[str, Any]
    author_kind: str
    synced_hash: str


class MailFields(_From, total=False):
    """What a mail says of itself, beside `author` (its sender), `created` (when it was sent) and `subject`.

    :param from: its sender.
    :param to: who got it.
    :param cc: who got a copy.
    :param date: when it was sent.
    :param attachments: names of all attached files.
    :param parts: names of those that became documents of their own.
    :param attachments_left: why others were left out.
    """

    to: str
    cc: str
    date: str
    attachments: list[str]
    parts: list[str]
    attachments_left: list[dict[str, Any]] | None


class FoundFields(TypedDict, total=False):
    """What was found out about a document, by rules or by a model, where nobody had said it.

    :param summary: a few sentences.
    :param tags: words that stand for it.
    :param dates: that it names.
    :param document_language: in which most of it is written.
    """

    summary: str
    tags: list[str]
    dates: list[str]
    document_language: str


class ReadingFields(TypedDict, total=False):
    """How reading the file went.

    :param empty_pages: numbers of pages without text.
    :param damaged_pages: numbers of pages that cannot be read.
    :param needs_ocr: numbers of pages that wait for OCR: their text is in pictures.
    :param garbled_pages: those among them whose fonts do not say what they mean.
    :param ocr_pages: numbers of pages whose text was read in their picture.
    :param ocr_errors: why pictures could not be read.
    :param guessed_encoding: of a text file that does not say which one it has.
    :param part_of: of an attached file: `doc_id` of its mail.
    :param found_metadata: names of the fields that were found out.
    :param degraded_stages: names of the stages that were replaced by the next best thing.
    """

    empty_pages: list[int]
    damaged_pages: list[int]
    needs_ocr: list[int]
    garbled_pages: list[int]
    ocr_pages: list[int]
    ocr_errors: list[str]
    guessed_encoding: str
    part_of: str
    found_metadata: list[str]
    degraded_stages: list[str]


class ConvertedFields(TypedDict, total=False):
    """What a converter gives to the stages before the splitter, and no passage carries.

    :param page_starts: offset in the text at which each page begins.
    :param page_sizes: width and height of each page, in points.
    :param blocks: `{kind, page, bbox, level, start, end}` of headings, paragraphs, tables and figures.
    :param time_marks: `[offset, seconds]` of each thing that is said in a recording.
    :param removed: what was left out on purpose -> how much of it.
    """

    page_starts: list[int]
    page_sizes: list[list[float]]
    blocks: list[dict[str, Any]]
    time_marks: list[list[int]]
    removed: dict[str, int]


class RankFields(TypedDict, total=False):
    """What the stages of a question add to a passage.

    :param ranks: from 1: `dense` and `sparse`, in each leg that found it; `fusion`, `rerank`, `evidence`.
    :param scores: `dense`: cosine; `sparse`: BM25; `rerank`: the ranker's own.
    :param also_in: `{doc_id, source, title, page}` of passages that say the same and were merged into it.
    :param context: `{before, after, section}`: the text around it.
    """

    ranks: dict[str, int]
    scores: dict[str, float]
    also_in: list[dict[str, Any]]
    context: dict[str, Any]


class DocumentMeta(
    FileFields,
    PlaceFields,
    PassageFields,
    SaidFields,
    MailFields,
    FoundFields,
    ReadingFields,
    ConvertedFields,
    RankFields,
    total=False,
):
    """All of it; what a stage does not know it passes on."""
