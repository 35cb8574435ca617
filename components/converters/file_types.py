"""Which files the hub can read, and what each is called (`doc_type`): the one place that knows extensions."""

from collections.abc import Iterable
from pathlib import Path


def _each(names: str, value: str) -> dict[str, str]:
    return {f".{name}": value for name in names.split()}


SAVED_ANEW = {
    **_each("doc dot odt ott rtf", ".docx"),
    **_each("xls xlt xlsb ods ots", ".xlsx"),
    **_each("ppt pps pot odp otp", ".pptx"),
}
"""Extensions of files that LibreOffice saves anew, with the format that is then read."""

CONVERTED_TYPES = {
    ".pdf": "pdf",
    **_each("docx docm dotx dotm", "docx"),
    **_each("pptx pptm ppsx ppsm potx potm", "pptx"),
    **_each("xlsx xlsm xltx xltm", "xlsx"),
    **{extension: saved[1:] for extension, saved in SAVED_ANEW.items()},
    **_each("png jpg jpeg tif tiff webp bmp gif", "image"),
    ".csv": "csv",
    ".tsv": "csv",
    **_each("html htm xhtml mht mhtml", "html"),
    ".epub": "epub",
    ".ipynb": "notebook",
    ".eml": "email",
    ".msg": "email",
    ".mbox": "mailbox",
    ".zip": "archive",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
"""Extensions that a converter turns into Markdown, with their `doc_type`."""

_TEXT_EXTENSIONS = {
    "markdown": "md markdown mdown mkd mdx",
    "text": "txt text rst adoc asciidoc org tex log vtt srt",
    "code": (
        "py pyi js mjs cjs jsx ts tsx vue svelte java kt kts scala groovy gradle go rs c h cc cpp cxx hpp hh cs fs vb "
        "swift m mm rb php pl pm lua r jl dart ex exs erl hs ml clj lisp el sh bash zsh fish ps1 bat cmd sql graphql "
        "proto tf css scss less json5 yaml yml toml ini cfg conf properties xml nxml xsd xsl "
        "cmake mk dockerfile diff patch"
    ),
}

SOUND_TYPES = {**_each("mp3 wav m4a ogg flac", "audio"), **_each("mp4 mkv webm", "video")}
"""Extensions of recordings, whose words a component may write down, with their `doc_type`."""

TEXT_TYPES = {f".{name}": doc_type for doc_type, names in _TEXT_EXTENSIONS.items() for name in names.split()}
"""Extensions that are read as they are, with their `doc_type`."""

ROW_TYPE = "row"
"""The `doc_type` of a row of a table."""

MAIL_TYPE = "email"
"""The `doc_type` of a mail, whatever its format."""

CONTAINER_TYPES = frozenset({MAIL_TYPE, "mailbox", "archive"})
"""Each `doc_type` in whose files others lie, which become documents of their own."""

SUPPORTED_EXTENSIONS = frozenset(CONVERTED_TYPES) | frozenset(TEXT_TYPES)
"""Every extension (lower case, with its dot) that a walk through a folder should offer."""


SAVE_AS = {
    **_each("wps pages", ".docx"),
    **_each("et numbers", ".xlsx"),
    **_each("dps key", ".pptx"),
    **_each("mobi azw3", ".epub"),
    **_each("ps eps djvu xps svg", ".pdf"),
    **_each("heic heif avif jp2 psd", ".jpg"),
}
"""Formats that the hub does not read, with the one in which their programs can save the same document."""

PDF_ENGINES = ("khub", "markitdown")
"""What can read PDF: the hub's own reader, or MarkItDown's converter, which knows no pages."""


def doc_type_of(path: Path) -> str | None:
    """Name the type of a file by its extension, whatever its case.

    :param path: the file; it is not opened.
    :returns: "pdf", "docx", "pptx", "xlsx", "image", "csv", "html", "epub", "notebook", "email", "mailbox", "archive",
        "json", "markdown", "text", "code", "audio" or "video"; None for any other extension.
    """
    extension = path.suffix.lower()
    return CONVERTED_TYPES.get(extension) or TEXT_TYPES.get(extension) or SOUND_TYPES.get(extension)


def declared_extensions(declared: str | Iterable[str]) -> frozenset[str]:
    """Return the extensions (lower case, with dot) that a component or a converter declares: one, or several."""
    each = [declared] if isinstance(declared, str) else declared
    return frozenset(f".{extension.lower().lstrip('.')}" for extension in each)


def why_not_read(path: Path) -> str:
    """Say why a file of a kind that is not in `SUPPORTED_EXTENSIONS` is not read, and as what it could be saved."""
    extension = path.suffix.lower()
    if not extension:
        return "its name does not say what it is"
    other = SAVE_AS.get(extension)
    return f"its type {extension!r} is not read" + (f": save it as {other}" if other else "")
