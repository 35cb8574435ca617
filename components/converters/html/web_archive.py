"""A page saved with its pictures in one file (MHTML, RFC 2557)."""

from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from urllib.parse import unquote, urljoin

from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceEmptyError

_PAGES = {"text/html", "application/xhtml+xml"}


@dataclass(frozen=True, slots=True)
class WebArchive:
    """The parts of a saved page.

    :param page: the HTML that was saved.
    :param address: where it was, or "".
    :param title: what the browser called it, or "".
    :param parts: address or content id -> part.
    """

    page: str
    address: str
    title: str
    parts: dict[str, MIMEPart]

    def loader(self, base: str) -> Callable[[str], bytes | None]:
        """Return a function: the bytes at an address as the page at `base` has it."""

        def load(address: str) -> bytes | None:
            part = self.part(address, base)
            return None if part is None else _bytes(part)

        return load

    def part(self, address: str, base: str) -> MIMEPart | None:
        """Return the part at an address in the page at `base`."""
        if address.startswith("cid:"):
            return self.parts.get(unquote(address.removeprefix("cid:")))
        return self.parts.get(_joined(base, address)) or self.parts.get(address)


def read_web_archive(data: bytes, name: str) -> WebArchive:
    """Read a `.mht` or `.mhtml` file.

    :param data: the file.
    :param name: its name, for messages.
    :raises SourceError: when there is no page in it.
    """
    mail = message_from_bytes(data.lstrip(), policy=policy.default)
    assert isinstance(mail, EmailMessage)
    parts = [part for part in mail.walk() if not part.is_multipart()]
    first = str(mail.get_param("start") or "").strip("<> ")
    pages = [part for part in parts if part.get_content_type() in _PAGES]
    page = next((part for part in pages if first and _content_id(part) == first), None) or next(iter(pages), None)
    if page is None:
        raise SourceEmptyError(f"{name!r} holds no saved page", "save it from the browser again, or replace it")
    known: dict[str, MIMEPart] = {}
    for part in parts:
        for key in (location(part), _content_id(part)):
            if key:
                known.setdefault(key, part)
    address = location(page) or str(mail["Snapshot-Content-Location"] or "").strip()
    return WebArchive(page_text(page), address, " ".join(str(mail["Subject"] or "").split()), known)


def page_text(part: MIMEPart) -> str:
    """Return the HTML of a part; "" where it is no text."""
    data = _bytes(part)
    label = part.get_content_charset("")
    if label and label.isascii() and b"\x00" not in data:
        data = f'<meta charset="{label}">'.encode() + data  # what the part says goes before what the page says
    try:
        return decode_text(data)
    except NotTextError:
        return ""


def location(part: MIMEPart) -> str:
    """Return the address of a part, or ""; a long one is folded, with blanks that are none of its own."""
    return "".join(str(part["Content-Location"] or "").split())


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _content_id(part: MIMEPart) -> str:
    return str(part["Content-ID"] or "").strip("<> ")


def _bytes(part: MIMEPart) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""
