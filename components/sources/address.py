"""From the address of a source to the source."""

import importlib
import re
from importlib.util import find_spec

from khub.components.errors import MissingLibraryError, SourceError
from khub.components.extras import install_extra
from khub.components.sources.source import Options, Source
from khub.components.text.shown_address import without_credentials

SCHEME = re.compile(r"([a-z][a-z0-9_]+):")
KINDS = "begin it with web:, git:, rss:, zip: or tar:, s3://, gs:// or az://, imap://, or as a connector of oikb says"
SAME = {"gs": "s3", "az": "s3", "tar": "zip"}
"""Schemes that another one's module reads, too."""
MAILBOX = re.compile(r"imap://([^:@/]+)(?::[^@/]*)?@")
OTHERS = "oikb"
"""The source that knows the schemes which have no module here."""


def is_source_address(text: str) -> bool:
    """Say whether a text is the address of a source, and no path of a folder."""
    return scheme_of(text) is not None


def scheme_of(text: str) -> str | None:
    """Return what stands before the colon of an address; None for a path, also one with the letter of a drive."""
    found = SCHEME.match(text)
    return found[1] if found else None


def open_source(address: str, options: Options) -> Source:
    """Return the source of an address; nothing is asked for yet.

    :raises SourceError: if the address is of no known kind, or cannot be understood.
    :raises MissingLibraryError: if the extra is not installed.
    """
    scheme = scheme_of(address)
    if scheme is None:
        raise SourceError(f"{shown_source(address)!r} is no address of a source", KINDS)
    if scheme in ("http", "https"):
        raise SourceError(f"{shown_source(address)!r} names no kind of source", f"write web:{shown_source(address)}")
    name = f"khub.components.sources.{SAME.get(scheme, scheme)}_source"
    if find_spec(name) is None:
        name = f"khub.components.sources.{OTHERS}_source"
    try:
        found: Source = importlib.import_module(name).Source(address, options)
    except ImportError as error:
        raise MissingLibraryError(
            f"{shown_source(address)!r} needs the library {error.name}, which is not installed",
            f"install the extra: {install_extra('sources')}",
        ) from error
    return found


def shown_source(address: str) -> str:
    """Return the address of a source without credentials; of a mailbox with its user, who is a part of its name."""
    shown = without_credentials(address)
    mailbox = MAILBOX.match(address)
    return shown.replace("imap://", f"imap://{mailbox[1]}@", 1) if mailbox else shown
