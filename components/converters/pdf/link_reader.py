"""Links of a page that lead out of the document."""

import ctypes
import re
from typing import NamedTuple

import pypdfium2.raw as pdfium

_REAL = re.compile(r"(https?://|ftp://|mailto:)[^\s()<>]+\Z", re.IGNORECASE)
_MOST = 2000


class Link(NamedTuple):
    """A rectangle in the page's own coordinates and what it leads to."""

    left: float
    bottom: float
    right: float
    top: float
    uri: str


def read_links(document: object, page: object) -> list[Link]:
    """Return the links of a page that have a real address.

    :param document: pypdfium2's raw handle of the document.
    :param page: pypdfium2's raw handle of the page.
    """
    links: list[Link] = []
    position, handle, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while len(links) < _MOST and pdfium.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(handle)):
        action = pdfium.FPDFLink_GetAction(handle)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        uri = _uri(document, action)
        if uri and pdfium.FPDFLink_GetAnnotRect(handle, ctypes.byref(rect)):
            left, right = sorted((rect.left, rect.right))
            bottom, top = sorted((rect.bottom, rect.top))
            links.append(Link(left, bottom, right, top, uri))
    return links


def _uri(document: object, action: object) -> str:
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    uri = buffer.value.decode("utf-8", "replace").strip().replace("(", "%28").replace(")", "%29")
    return uri if _REAL.match(uri) else ""
