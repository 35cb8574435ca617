"""Fetch a file from the web, within limits."""

import contextlib
import os
import re
import socket
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import httpx

from khub.components.converters.file_types import SUPPORTED_EXTENSIONS, doc_type_of
from khub.components.errors import SourceError, SourceSizeError
from khub.components.private_files import owners_alone, private_folder
from khub.components.sources.media_types import MEDIA_TYPES
from khub.components.sources.public_address import is_public
from khub.components.text.shown_address import shown_address, without_credentials

SCHEMES = ("http", "https")
REDIRECTS = 5
MEGABYTE = 1_000_000
NAME_LENGTH = 100


@dataclass(frozen=True)
class Limits:
    """How far a download may go.

    :param max_mb: largest file, in megabytes.
    :param timeout_s: seconds that all of it may take.
    :param private: whether addresses of this machine and of private networks may be asked.
    """

    max_mb: float = 200
    timeout_s: float = 60
    private: bool = False


def download(url: str, folder: Path, limits: Limits, extensions: Collection[str] = SUPPORTED_EXTENSIONS) -> Path:
    """Fetch a file and keep it; an earlier version of it is replaced once the new one is complete.

    Credentials in the address are sent, and kept nowhere: one that differs only in them is the same. The proxy settings
    and the `.netrc` of the environment are not used.

    :param url: of scheme http or https, also wherever it redirects to.
    :param folder: it is kept in a folder of its own in there, under the name that the URL ends in.
    :param extensions: of the files that are read, whatever their media type.
    :raises SourceError: if it cannot be had, is no kind of file that can be read, or goes beyond the limits.
    """
    deadline = time.monotonic() + limits.timeout_s
    shown = shown_address(url)
    try:
        with _response(url, limits, deadline) as response:
            target = folder / sha256(shown.encode()).hexdigest()[:16] / _file_name(response, shown, extensions)
            private_folder(target.parent)
            unfinished = target.with_name(f".{os.getpid()}.part")
            try:
                with open(unfinished, "wb", opener=owners_alone) as stream:
                    stream.writelines(_blocks(response, shown, limits, deadline))
                for old in target.parent.iterdir():
                    if old not in (unfinished, target):
                        old.unlink()
                unfinished.replace(target)
            finally:
                unfinished.unlink(missing_ok=True)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = "" if isinstance(error, httpx.InvalidURL) else str(error)  # which quotes what it could not read
        reason = without_credentials(said) or type(error).__name__
        raise SourceError(
            f"{shown!r} cannot be fetched ({reason})", "check the address and the network", code="url_unreachable"
        ) from error
    return target


@contextlib.contextmanager
def _response(url: str, limits: Limits, deadline: float) -> Iterator[httpx.Response]:
    """Follow redirects by hand, so that each address is looked at before it is asked."""
    shown = shown_address(url)
    with httpx.Client(trust_env=False, follow_redirects=False) as client:
        place = httpx.URL(url)
        for _ in range(REDIRECTS + 1):
            request = _request(client, place, shown, limits, deadline)
            response = client.send(request, stream=True)
            try:
                if not response.is_redirect:
                    if not response.is_success:
                        raise SourceError(
                            f"{shown!r} cannot be fetched (status {response.status_code})",
                            "check it",
                            code="url_unreachable",
                        )
                    yield response
                    return
                place = place.join(response.headers["location"])
            finally:
                response.close()
    raise SourceError(
        f"{shown!r} redirects more than {REDIRECTS} times", "name the address that it leads to", code="url_unreachable"
    )


def _request(client: httpx.Client, place: httpx.URL, url: str, limits: Limits, deadline: float) -> httpx.Request:
    if place.scheme not in SCHEMES or not place.host:
        leads_to = shown_address(str(place))
        raise SourceError(
            f"{url!r} leads to {leads_to!r}, which is no web address",
            "name one of http or https",
            code="url_not_allowed",
        )
    address = _address(place, url, limits.private)
    # asked by the very address that was looked at: a name may mean another one a moment later
    return client.build_request(
        "GET",
        place.copy_with(host=address),
        headers={"Host": place.netloc.decode("ascii"), "User-Agent": "knowledge-hub"},
        extensions={"sni_hostname": place.raw_host.decode("ascii")},
        timeout=max(0.1, min(10.0, deadline - time.monotonic())),
    )


def _address(place: httpx.URL, url: str, private: bool) -> str:
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(place.host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise SourceError(
            f"{url!r} cannot be fetched (no address for {place.host!r})", "check the spelling", code="url_unreachable"
        ) from error
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not private and not is_public(address):
            raise SourceError(
                f"{url!r} leads to {address}, which is no public address",
                "add --allow-private if that is meant",
                code="url_not_allowed",
            )
    return addresses[0]


def _blocks(response: httpx.Response, url: str, limits: Limits, deadline: float) -> Iterator[bytes]:
    size = 0
    for block in response.iter_bytes():
        size += len(block)
        if size > limits.max_mb * MEGABYTE:
            raise SourceSizeError(f"{url!r} is larger than {limits.max_mb:g} MB", "fetch it and ingest the file")
        if time.monotonic() > deadline:
            raise SourceError(
                f"{url!r} took longer than {limits.timeout_s:g} s",
                "fetch it and ingest the file",
                code="source_timeout",
            )
        yield block


def _file_name(response: httpx.Response, url: str, extensions: Collection[str]) -> str:
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    name = re.sub(r"[^\w.-]+", "_", PurePosixPath(unquote(httpx.URL(url).path)).name).strip("._") or "index"
    stem, known = name[-NAME_LENGTH:], Path(name).suffix.lower() in extensions
    extension = MEDIA_TYPES.get(media_type)
    if extension is None and not known:
        if not media_type.startswith("text/"):
            raise SourceError(
                f"{url!r} is of type {media_type or 'unknown'!r}, which is not read",
                "leave it out",
                code="source_type_not_read",
            )
        extension = ".txt"
    if extension is None or doc_type_of(Path(name)) == doc_type_of(Path(f"x{extension}")):
        return stem
    return f"{stem}{extension}"
