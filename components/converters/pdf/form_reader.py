"""What was filled in on a page: values of form fields, and notes typed onto it; no part of the page's own text."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.page_space import PageSpace

_TYPED = (pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_CHOSEN = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_TICKED = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_NOTES = {pdfium.FPDF_ANNOT_FREETEXT: "typed", pdfium.FPDF_ANNOT_TEXT: "note"}
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_MOST = 5000
_FieldKind = Literal["value", "box", "radio", "typed", "note"]


class FilledIn(NamedTuple):
    """Something that was filled in.

    :param kind: "value" of a text or a choice, a "box" or "radio" button to tick, text "typed" onto the page, or a
        "note" that a program shows when asked.
    :param box: as shown.
    :param text: the value; of a radio button what it stands for.
    :param group: name of the field; buttons of one question share it.
    :param hint: what its form says the field is, or "".
    """

    kind: _FieldKind
    box: Box
    text: str
    ticked: bool = False
    group: str = ""
    hint: str = ""


def read_filled_in(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, space: PageSpace) -> list[FilledIn]:
    """Return what was filled in on a page, in the order of the file.

    :param document: whose forms were opened, where it has any.
    :param space: in which the places are given.
    """
    form = document.formenv.raw if document.formenv else None
    found: list[FilledIn] = []
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            if not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
                found.extend(_filled_in(form, annotation, space))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def _filled_in(form: Any, annotation: Any, space: PageSpace) -> Iterator[FilledIn]:
    subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
    rect = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, rect):
        return
    box = space.box(rect.left, rect.bottom, rect.right, rect.top)
    if subtype in _NOTES:
        text = _string(lambda *buffer: pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", *buffer))
        if text:
            yield FilledIn("typed" if subtype == pdfium.FPDF_ANNOT_FREETEXT else "note", box, text)
    elif subtype == pdfium.FPDF_ANNOT_WIDGET and form:
        yield from _field(form, annotation, box)


def _field(form: Any, annotation: Any, box: Box) -> Iterator[FilledIn]:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)

    def asked(function: Callable[..., int]) -> str:
        return _string(lambda *buffer: function(form, annotation, *buffer))

    if kind not in (*_TYPED, *_TICKED):
        return
    name, hint = asked(pdfium.FPDFAnnot_GetFormFieldName), asked(pdfium.FPDFAnnot_GetFormFieldAlternateName)
    if kind in _TICKED:
        ticked = bool(pdfium.FPDFAnnot_IsChecked(form, annotation))
        meaning = asked(pdfium.FPDFAnnot_GetFormFieldExportValue)
        radio = kind == pdfium.FPDF_FORMFIELD_RADIOBUTTON
        yield FilledIn("radio" if radio else "box", box, meaning, ticked, name, hint)
        return
    secret = kind not in _CHOSEN and pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD
    chosen = _chosen(form, annotation) if kind in _CHOSEN else ""
    value = "" if secret else chosen or asked(pdfium.FPDFAnnot_GetFormFieldValue)
    if value:
        yield FilledIn("value", box, value, group=name, hint=hint)


def _chosen(form: Any, annotation: Any) -> str:
    """Return the options that are chosen as the form shows them."""
    labels = [
        _string(lambda *buffer, at=index: pdfium.FPDFAnnot_GetOptionLabel(form, annotation, at, *buffer))
        for index in range(min(max(pdfium.FPDFAnnot_GetOptionCount(form, annotation), 0), _MOST))
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, index)
    ]
    return ", ".join(filter(None, labels))


def _string(function: Callable[..., int]) -> str:
    """Call a function of PDFium that writes UTF-16 into a buffer."""
    length = function(None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    function(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return " ".join(buffer.raw[: length - 2].decode("utf-16-le", "replace").split())
