"""The messages of a mailbox on a server: `imap://user@mail.example.com/INBOX`."""

import contextlib
import imaplib
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError

from khub.components.errors import SourceError
from khub.components.private_files import owners_alone
from khub.components.sources.secret import secret_of
from khub.components.sources.source import Item, KnownItem, Notes, Options

WAYS: dict[str, tuple[type[MailBox | MailBoxStartTls | MailBoxUnencrypted], int]] = {
    "ssl": (MailBox, 993),
    "starttls": (MailBoxStartTls, 143),
    "none": (MailBoxUnencrypted, 143),
}
TIMEOUT_S = 60.0
MEGABYTE = 1_000_000
AT_ONCE = 500
"""So many messages are asked for their size in one request."""


class Source:
    """Reads whole messages, with what is attached to them, and leaves them unread.

    :param address: `imap://`, the user, the server and the folder.
    :param options: `key` (an environment variable with the password) and `tls` (ssl, starttls or none) beside what
        holds for all sources.
    """

    SETTINGS = ("key", "tls")

    def __init__(self, address: str, options: Options) -> None:
        parts = urlsplit(address)
        way = str(options.more.get("tls", "ssl"))
        if not parts.hostname or not parts.username or way not in WAYS:
            raise SourceError(
                f"{address!r} (tls: {way!r}) names no mailbox",
                "write it like imap://user@mail.example.com/INBOX, with tls: ssl, starttls or none",
            )
        self._kind, port = WAYS[way]
        self._checked: dict[str, Any] = {} if way == "none" else {"ssl_context": ssl.create_default_context()}
        self._host, self._port, self._user = parts.hostname, parts.port or port, unquote(parts.username)
        self._folder = unquote(parts.path.strip("/")) or "INBOX"
        self._secret = secret_of(options.more.get("key"), parts.hostname) or unquote(parts.password or "")
        self._max_bytes = options.max_mb * MEGABYTE
        self._most = options.max_items
        self._box: BaseMailBox | None = None
        if not self._secret:
            raise SourceError(
                f"{address!r} has no password", "name the variable that holds it: `key: NAME` (--set key=NAME)"
            )

    def items(self, known: Mapping[str, KnownItem], notes: Notes) -> Iterator[Item]:
        """Yield the messages; one never changes."""
        box = self._opened()
        try:
            validity = box.folder.status(self._folder, ["UIDVALIDITY"])["UIDVALIDITY"]
            box.folder.set(self._folder, readonly=True)
            uids = box.uids()
            new = [uid for uid in uids if f"{validity}.{uid}" not in known]
            large = {uid for uid, size in self._sizes(box, new) if size > self._max_bytes}
        except (imaplib.IMAP4.error, ImapToolsError, OSError, KeyError) as error:
            raise self._failed(error) from error
        if len(uids) > self._most:
            notes.incomplete.append(f"the folder has more than {self._most:,} messages: set `max_items` higher")
        for uid in uids[-self._most :]:
            if uid in large:
                notes.leave_out(f"message {uid}", f"it is larger than {self._max_bytes / MEGABYTE:g} MB")
                continue
            place = f"imap://{quote(self._user)}@{self._host}/{quote(self._folder)};UIDVALIDITY={validity}/;UID={uid}"
            yield Item(f"{validity}.{uid}", f"{self._folder}/{uid}.eml", "1", place)

    def read(self, item: Item, target: Path) -> None:
        """Fetch a message as it was sent."""
        try:
            told = self._opened().client.uid("FETCH", item.id.rpartition(".")[2], "(BODY.PEEK[])")
            message = next(part[1] for part in told[1] if isinstance(part, tuple))
        except (imaplib.IMAP4.error, ImapToolsError, OSError) as error:
            raise self._failed(error) from error
        except StopIteration as error:
            raise SourceError(f"message {item.id} went meanwhile", "sync again") from error
        with open(target, "wb", opener=owners_alone) as file:
            file.write(message)

    def close(self) -> None:
        """Say goodbye to the server."""
        if self._box is not None:
            try:
                self._box.logout()
            except (imaplib.IMAP4.error, ImapToolsError, OSError):
                self._box.client.shutdown()
        self._box = None

    def _opened(self) -> BaseMailBox:
        if self._box is None:
            with contextlib.ExitStack() as refused:
                try:
                    box = self._kind(self._host, self._port, timeout=TIMEOUT_S, **self._checked)
                    refused.callback(box.client.shutdown)  # the server would wait for another try
                    self._box = box.login(self._user, self._secret, initial_folder=None)
                except (imaplib.IMAP4.error, ImapToolsError, OSError) as error:
                    raise self._failed(error) from error
                refused.pop_all()
        return self._box

    def _sizes(self, box: BaseMailBox, uids: list[str]) -> Iterator[tuple[str, int]]:
        for start in range(0, len(uids), AT_ONCE):
            told = box.client.uid("FETCH", ",".join(uids[start : start + AT_ONCE]), "(RFC822.SIZE)")
            for line in told[1]:
                words = bytes(line or b"").replace(b"(", b" ").replace(b")", b" ").split()
                if b"UID" in words and b"RFC822.SIZE" in words:
                    yield words[words.index(b"UID") + 1].decode(), int(words[words.index(b"RFC822.SIZE") + 1])

    def _failed(self, error: Exception) -> SourceError:
        said = " ".join(str(error).replace(self._secret, "…").split())[:200]
        remedy = "check user, password, folder and `tls` of the source"
        if isinstance(error, ssl.SSLCertVerificationError):
            remedy = "name the server as its certificate does; SSL_CERT_FILE names that of an authority of your own"
        return SourceError(
            f"the mailbox {self._folder!r} of {self._user!r} at {self._host} cannot be read ({said})",
            remedy,
            code="url_unreachable",
        )
