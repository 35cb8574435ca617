"""Pixels of the figures of a page."""

import base64
import ctypes
import hashlib

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.deadline import Deadline
from khub.components.converters.pdf.drawing_reader import Drawings, ImagePlace
from khub.components.converters.pdf.layout import Figure
from khub.components.converters.pdf.page_space import PageSpace
from khub.components.converters.pdf.png import encode_png

_DRAWING_DPI = 150
_PAGE_DPI = 200
_RASTER_DPI = 220
_MOST_PIXELS = 2200
_POINTS_PER_INCH = 72
_LARGEST_JPEG = 8_000_000
_JPEG_COLORS = {pdfium.FPDF_COLORSPACE_DEVICEGRAY, pdfium.FPDF_COLORSPACE_DEVICERGB, pdfium.FPDF_COLORSPACE_ICCBASED}


class PictureTaker:
    """Takes figures out of one page.

    :param page: the open page.
    :param space: in which the figures' boxes are given.
    """

    def __init__(self, page: pypdfium2.PdfPage, space: PageSpace, deadline: Deadline) -> None:
        self._page = page
        self._space = space
        self._deadline = deadline

    def take(self, figure: Figure, drawings: Drawings) -> Figure:
        """Return the figure with its image file: the JPEG as it is stored, else the place on the page rendered."""
        self._deadline.check()
        alone = [image for image in drawings.images if image.box == figure.box] if figure.kind == "raster" else []
        if len(alone) == 1 and alone[0].upright:
            taken = self._stored_jpeg(figure, alone[0])
            if taken is not None:
                return taken
        dpi = {"page": _PAGE_DPI, "drawing": _DRAWING_DPI}.get(figure.kind, _RASTER_DPI)
        pixels = self._render(figure.box, dpi / _POINTS_PER_INCH)
        height, width = pixels.shape[:2]
        return _filled(figure, encode_png(pixels), "image/png", width, height)

    def _stored_jpeg(self, figure: Figure, image: ImagePlace) -> Figure | None:
        handle = ctypes.cast(image.handle, pdfium.FPDF_PAGEOBJECT)
        if pdfium.FPDFImageObj_GetImageFilterCount(handle) != 1 or pdfium.FPDFPageObj_HasTransparency(handle):
            return None
        name = ctypes.create_string_buffer(32)
        pdfium.FPDFImageObj_GetImageFilter(handle, 0, name, 32)
        facts = pdfium.FPDF_IMAGEOBJ_METADATA()
        if name.value != b"DCTDecode" or not pdfium.FPDFImageObj_GetImageMetadata(handle, self._page.raw, facts):
            return None
        length = pdfium.FPDFImageObj_GetImageDataRaw(handle, None, 0)
        if facts.colorspace not in _JPEG_COLORS or not 0 < length < _LARGEST_JPEG:
            return None
        buffer = ctypes.create_string_buffer(length)
        pdfium.FPDFImageObj_GetImageDataRaw(handle, buffer, length)
        if not buffer.raw.startswith(b"\xff\xd8\xff") or facts.bits_per_pixel > 24:
            return None
        return _filled(figure, buffer.raw, "image/jpeg", facts.width, facts.height)

    def _render(self, box: Box, scale: float) -> "np.ndarray":
        width, height = self._space.size
        x0, y0 = max(box[0] - 2, 0.0), max(box[1] - 2, 0.0)
        x1, y1 = min(box[2] + 2, width), min(box[3] + 2, height)
        scale = min(scale, _MOST_PIXELS / max(x1 - x0, y1 - y0, 1.0))
        columns, rows = max(int((x1 - x0) * scale), 1), max(int((y1 - y0) * scale), 1)
        bitmap = pypdfium2.PdfBitmap.new_native(columns, rows, pdfium.FPDFBitmap_BGR)
        try:
            bitmap.fill_rect((255, 255, 255, 255), 0, 0, columns, rows)
            turn = (self._space.rotation - self._page.get_rotation()) // 90 % 4
            pdfium.FPDF_RenderPageBitmap(
                bitmap.raw,
                self._page.raw,
                round(-x0 * scale),
                round(-y0 * scale),
                round(width * scale),
                round(height * scale),
                turn,
                pdfium.FPDF_ANNOT,
            )
            return np.ascontiguousarray(bitmap.to_numpy()[:, :, 2::-1])
        finally:
            bitmap.close()


def _filled(figure: Figure, data: bytes, mime: str, width: int, height: int) -> Figure:
    digest = hashlib.sha256(data).hexdigest()
    return Figure(figure.box, figure.kind, width, height, mime, base64.b64encode(data).decode("ascii"), digest)
