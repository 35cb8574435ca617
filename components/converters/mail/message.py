"""A message as Markdown, whatever file it came from."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bs4 import BeautifulSoup

from khub.components.catalog.parts import LEFT, PARTS
from khub.components.converters.html.page_markdown import page_markdown
from khub.components.converters.html.parse import parse_html
from khub.components.converters.mail.attachment import MOST_FILES, Attachment, Room, unpack
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.structured_result import StructuredResult

_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|转发|轉寄)\s*[:：]", re.IGNORECASE)
_WROTE = re.compile(r"(?>.*?(?:\b(?:wrote|schrieb|a écrit|escribió|ha scritto)\b|写道|寫道)).*[:：]\s*")
_STRUCTURE = re.compile(r"^(?=#{1,6}\s|(?:-{3,}|={3,}|`{3,})\s*$)", re.MULTILINE)


@dataclass(slots=True)
class Message:
    """What a message holds.

    :param subject: its subject, or "".
    :param sender: who wrote it.
    :param to: to whom.
    :param cc: with copies to whom.
    :param date: when, in ISO 8601, or "".
    :param text: its plain text, or "".
    :param html: its HTML, or "".
    :param events: what it invites to, each as lines.
    :param attachments: the files attached, pictures of the body not among them.
    :param embedded: pictures of the HTML by their content id.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: str = ""
    text: str = ""
    html: str = ""
    events: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    embedded: dict[str, bytes] = field(default_factory=dict)


def message_result(message: Message, room: Room | None = None) -> StructuredResult:
    """Write a message: subject as heading, who and when, the body, what it invites to, the names of attachments.

    The quoted message below an answer is left out, unless the message forwards it.

    :param message: from a file.
    :param room: where attached files go, and how many; None: they are named, and stay where they are.
    :returns: the Markdown and the metadata; `parts` are the names of files that were taken out, `attachments` those of
        all, `attachments_left` is from `Unpacked.told`.
    """
    pictures = PictureCollector()
    body, quoted = _body(message, pictures)
    head = {"From": message.sender, "To": message.to, "Cc": message.cc, "Date": message.date}
    unpacked = unpack(message.attachments, room)
    parts = [
        f"# {message.subject}" if message.subject else "",
        "\n".join(f"{label}: {value}" for label, value in head.items() if value),
        body,
        *(_STRUCTURE.sub(r"\\", event) for event in message.events),
        unpacked.listed("Attachments", MOST_FILES),
    ]
    metadata: dict[str, Any] = {
        "author": message.sender,
        "from": message.sender,
        "to": message.to,
        "cc": message.cc,
        "created": message.date,
        "date": message.date,
        "subject": message.subject,
        "attachments": unpacked.names[:MOST_FILES],
        PARTS: unpacked.taken,
        LEFT: unpacked.told(),
    }
    return StructuredResult(
        "\n\n".join(part for part in parts if part),
        title=message.subject or None,
        metadata=metadata,
        pictures=pictures.pictures,
        heading_is_title=False,
        removed={"quoted message": quoted},
    )


def _body(message: Message, pictures: PictureCollector) -> tuple[str, int]:
    forwarded = bool(_FORWARDED.match(message.subject))
    plain = message.text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if message.html:
        soup = parse_html(message.html)
        for element in soup.select("script, style, head, title, [style*='display:none'], [style*='display: none']"):
            element.decompose()
        quoted = 0 if forwarded else _drop_quote(soup)
        text = page_markdown(soup, pictures, _embedded(message))
        # Some programs put a mere notice into one of the two.
        if len(text) + quoted * 4 >= len(plain) // 2:
            return text, quoted
    kept, quoted = (plain, 0) if forwarded else without_quote(plain)
    return _STRUCTURE.sub(r"\\", kept), quoted


def _embedded(message: Message) -> Callable[[str], bytes | None]:
    return lambda address: message.embedded.get(address.removeprefix("cid:")) if address.startswith("cid:") else None


def _drop_quote(soup: BeautifulSoup) -> int:
    words = 0
    for quote in soup.select("div.gmail_quote, blockquote[type=cite], div.yahoo_quoted"):
        if quote.parent is not None and not quote.find_next_sibling(string=re.compile(r"\w")):
            words += len(quote.get_text(" ").split())
            quote.decompose()
    return words


def without_quote(text: str) -> tuple[str, int]:
    """Take off the message that is quoted below an answer.

    :param text: plain text; quoted lines begin with ">".
    :returns: the text without it, and how many words it had; the text as it is when something follows the quote or
        nothing stands above it.
    """
    lines = text.split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith(">")):
        end -= 1
    above = lines[:end]
    if above and end < len(lines):
        for count in (1, 2):  # the line that says who wrote it is often broken in two
            if _WROTE.fullmatch(" ".join(above[-count:])):
                above = above[:-count]
                break
    kept = "\n".join(above).strip()
    return (kept, len(text.split()) - len(kept.split())) if kept else (text, 0)
