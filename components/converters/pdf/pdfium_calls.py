"""PDFium's functions that are called thousands of times on a page, bound so that handles are plain integers.

The bindings of pypdfium2 build a pointer object for each handle, which costs several times the call itself.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

_HANDLE = ctypes.c_void_p
_INT = ctypes.c_int


def address(handle: Any) -> int:
    """Return a pypdfium2 raw handle as the integer that the functions of this module take."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.CFUNCTYPE(result, *arguments)(address(getattr(pdfium, name)))


char_box = _bind("FPDFText_GetLooseCharBox", _INT, _HANDLE, _INT, _HANDLE)
char_object = _bind("FPDFText_GetTextObject", _HANDLE, _HANDLE, _INT)
char_unicode = _bind("FPDFText_GetUnicode", ctypes.c_uint, _HANDLE, _INT)
char_matrix = _bind("FPDFText_GetMatrix", _INT, _HANDLE, _INT, _HANDLE)
char_font_size = _bind("FPDFText_GetFontSize", ctypes.c_double, _HANDLE, _INT)
char_origin = _bind("FPDFText_GetCharOrigin", _INT, _HANDLE, _INT, _HANDLE, _HANDLE)
char_map_error = _bind("FPDFText_HasUnicodeMapError", _INT, _HANDLE, _INT)
char_is_generated = _bind("FPDFText_IsGenerated", _INT, _HANDLE, _INT)
object_font = _bind("FPDFTextObj_GetFont", _HANDLE, _HANDLE)
object_render_mode = _bind("FPDFTextObj_GetTextRenderMode", _INT, _HANDLE)
font_name = _bind("FPDFFont_GetBaseFontName", ctypes.c_size_t, _HANDLE, ctypes.c_char_p, ctypes.c_size_t)
font_flags = _bind("FPDFFont_GetFlags", _INT, _HANDLE)
font_weight = _bind("FPDFFont_GetWeight", _INT, _HANDLE)
page_object_count = _bind("FPDFPage_CountObjects", _INT, _HANDLE)
page_object = _bind("FPDFPage_GetObject", _HANDLE, _HANDLE, _INT)
form_object_count = _bind("FPDFFormObj_CountObjects", _INT, _HANDLE)
form_object = _bind("FPDFFormObj_GetObject", _HANDLE, _HANDLE, ctypes.c_ulong)
object_type = _bind("FPDFPageObj_GetType", _INT, _HANDLE)
object_bounds = _bind("FPDFPageObj_GetBounds", _INT, _HANDLE, _HANDLE, _HANDLE, _HANDLE, _HANDLE)
object_matrix = _bind("FPDFPageObj_GetMatrix", _INT, _HANDLE, _HANDLE)
object_fill = _bind("FPDFPageObj_GetFillColor", _INT, _HANDLE, _HANDLE, _HANDLE, _HANDLE, _HANDLE)
path_mode = _bind("FPDFPath_GetDrawMode", _INT, _HANDLE, _HANDLE, _HANDLE)
path_count = _bind("FPDFPath_CountSegments", _INT, _HANDLE)
path_segment = _bind("FPDFPath_GetPathSegment", _HANDLE, _HANDLE, _INT)
segment_point = _bind("FPDFPathSegment_GetPoint", _INT, _HANDLE, _HANDLE, _HANDLE)
segment_type = _bind("FPDFPathSegment_GetType", _INT, _HANDLE)
segment_close = _bind("FPDFPathSegment_GetClose", _INT, _HANDLE)
