"""Where files lie on this machine: nothing to somebody with a token, who is told paths from there on.

What was sent, what was fetched, and what lies in a folder from which may be ingested is called by its path in there,
what was ingested from elsewhere at the command by its name; `doc_id` and what stands in the catalog stay.
"""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from khub.components.catalog.kept_path import FILES, SOURCES
from khub.components.home import hub_home
from khub.server.http.changed_body import Change, changed
from khub.server.library.downloads import DOWNLOADS
from khub.server.library.uploads import UPLOADS

TYPES = ("application/json", "application/problem+json", "text/event-stream")
"""What names sources: all else is the content of documents."""
SLUG = rb"[a-z0-9_]+"
KEY = rb"[0-9a-f]{16}"
ELSEWHERE = re.compile(rb'((?<!\\)"source": ?")(?:/(?:(?:[^"\\/]|\\.)*/)*|[A-Za-z]:\\\\(?:[^"\\]*\\\\)*)')
"""The folders of a source that is a path from the root on."""


@dataclass
class ShownPaths:
    """Tells who has a token the paths of files from these folders on.

    :param roots: folders from which files may be ingested.
    """

    app: ASGIApp
    roots: Sequence[Path]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with short paths."""

        def begin(headers: MutableHeaders) -> Change | None:
            names = headers.get("content-type", "").partition(";")[0] in TYPES
            return _shortener(hub_home(), tuple(self.roots)) if names else None

        await self.app(scope, receive, changed(send, begin) if scope["state"]["caller"].name else send)


def _shortener(home: Path, roots: Sequence[Path]) -> Change:
    """Return what takes folders away from JSON, however that writes them."""
    parts = [form + SLUG + end for form, end in _forms(home / UPLOADS)]
    parts += [form + SLUG + end + KEY + end for form, end in _forms(home / DOWNLOADS)]
    parts += [form + SLUG + end + KEY + end + FILES.encode() + end for form, end in _forms(home / SOURCES)]
    parts += [form for root in roots if len(root.parts) > 1 for form, _ in _forms(root)]
    parts.sort(key=len, reverse=True)
    pattern = re.compile(b"|".join(parts))
    return lambda body: ELSEWHERE.sub(rb"\1", pattern.sub(b"", body))


def _forms(folder: Path) -> list[tuple[bytes, bytes]]:
    """Return a folder with the separator after it, and that alone, as JSON may write them, for a regular expression."""
    forms = {json.dumps(f"{folder}{os.sep}", ensure_ascii=plain)[1:-1] for plain in (True, False)}
    end = re.escape(json.dumps(os.sep)[1:-1]).encode()
    return [(re.escape(form).encode(), end) for form in sorted(forms)]
