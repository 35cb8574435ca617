"""A service, asked over HTTP."""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

from khub.components.errors import KhubError
from khub.server.listening.addresses import is_loopback
from khub.server.remote.failures import no_hub, reached, refusal
from khub.server.terminal import tell

READING, WRITING = ("KHUB_TOKEN", "KHUB_WRITE_TOKEN"), ("KHUB_WRITE_TOKEN", "KHUB_TOKEN")
"""Variables in which a token is looked for; one that may write may also read."""
PATIENCE = httpx.Timeout(60, connect=10, read=620)
"""A service takes 600 s for an answer at most."""
SILENCE_S = 45
"""A service says every 15 s that it still follows a job."""
EVENTS = "text/event-stream"
PAGE = 200


class Service:
    """A hub behind `khub serve`. It is never followed to another address, since the token would go with it.

    :param address: from `checked_address`.
    :param writing: whether it is asked to change something.
    :raises KhubError: if the token can be none.
    """

    def __init__(self, address: str, writing: bool = False) -> None:
        self.address = address
        self._token, token = _token(WRITING if writing else READING)
        url = httpx.URL(address)
        own = is_loopback(url.host)
        if token and url.scheme == "http" and not own:
            tell(f"the token goes to {address} in clear", "others on the way can read it: put TLS before the service")
        self._client = httpx.Client(
            base_url=address,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=PATIENCE,
            follow_redirects=False,
            transport=httpx.HTTPTransport() if own else None,  # this machine is not asked through a proxy
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, method: str, path: str, *needs: str, **more: Any) -> dict[str, Any]:
        """Return what the service answers.

        :param path: below the address.
        :param needs: what the answer has to hold.
        :param more: of httpx: `params`, `json`, `content`, `headers`.
        :raises KhubError: if it answers something else, or not at all.
        """
        with reached(self.address):
            reply = self._client.request(method, path, **more)
        if reply.status_code >= 300:
            raise refusal(reply, self.address, self._token)
        try:
            answer = reply.json()
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or not all(name in answer for name in needs):
            said = reply.headers.get("content-type", "nothing")
            raise no_hub(self.address, f"{reply.status_code} {said} at {path}")
        return answer

    def pages(self, path: str, name: str, page: int = PAGE, **params: Any) -> Iterator[dict[str, Any]]:
        """Yield the pages of a list, as long as somebody takes them.

        :param name: of the list in each page.
        :param page: entries of one.
        :param params: of the query; None is left out.
        """
        wanted: dict[str, Any] = {key: value for key, value in params.items() if value is not None} | {"limit": page}
        while True:
            answer = self.ask("GET", path, name, "next_cursor", params=wanted)
            yield answer
            if answer["next_cursor"] is None:
                return
            wanted["cursor"] = answer["next_cursor"]

    def events(self, path: str, after: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield number, name and data of events as they come, until the service ends them.

        A sign that it is still there is an event without number and name.

        :param after: number of the last one that is known; empty for none.
        :raises KhubError: if the service answers something else, or the connection breaks.
        """
        headers = {"Last-Event-ID": after} if after else {}
        patience = httpx.Timeout(PATIENCE.connect, read=SILENCE_S)
        with reached(self.address), self._client.stream("GET", path, headers=headers, timeout=patience) as reply:
            if reply.status_code >= 300:
                reply.read()
                raise refusal(reply, self.address, self._token)
            kind = reply.headers.get("content-type", "nothing")
            if kind.partition(";")[0] != EVENTS:
                raise no_hub(self.address, f"{kind} at {path}")
            yield from _events(reply.iter_bytes(), self.address)


def _token(variables: Iterable[str]) -> tuple[str, str]:
    """Return the first token that is set, and before it the name of its variable; empty where there is none."""
    for name in variables:
        token = os.environ.get(name, "").strip()
        if token and not (token.isascii() and token.isprintable() and " " not in token):
            raise KhubError(
                f"{name} holds characters that no token has", "set it to the token alone", code="setting_invalid"
            )
        if token:
            return name, token
    return "", ""


def _events(blocks: Iterable[bytes], address: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Take a stream of events apart; lines end where the service ends them, not where Unicode has line ends, too."""
    rest = b""
    for block in blocks:
        *messages, rest = (rest + block).split(b"\n\n")
        for message in messages:
            lines = message.decode(errors="replace").split("\n")
            fields = {name: value for name, _, value in (line.partition(": ") for line in lines) if name}
            if "data" not in fields:
                yield "", "", {}
                continue
            try:
                data = json.loads(fields["data"])
            except ValueError as error:
                raise no_hub(address, "an event that is not JSON") from error
            yield fields.get("id", ""), fields.get("event", ""), data
