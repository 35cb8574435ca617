"""What is said of a file that did not become a document."""

from typing import TypedDict

from khub.components.errors import KhubError


class FailedFile(TypedDict):
    """Why a file, or a row of one, did not become a document.

    :ivar source: its path or address, or FILE#row=ID.
    :ivar stage: where it failed: `check`, `convert`, `ocr`, `split`, `write`, `access`, `enrich`,
        `move`, `graph`.
    :ivar error: what is wrong, for people.
    :ivar remedy: what to do about it; may be empty.
    :ivar code: what is wrong, for programs (see `docs/reference/errors.md`).
    """

    source: str
    stage: str
    error: str
    remedy: str
    code: str


def failed_file(source: str, stage: str, error: KhubError) -> FailedFile:
    """Return what is said of a file that failed by an error."""
    return FailedFile(source=source, stage=stage, error=error.message, remedy=error.remedy, code=error.code)
