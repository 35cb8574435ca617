"""What a font says about the text set in it."""

import ctypes
import re
from typing import NamedTuple

from khub.components.converters.pdf import pdfium_calls as calls

_BOLD = re.compile(r"bold|black|heavy|demi|simhei|heiti|黑体|cmbx|-bd\b|,b\b|-medi(?:\b|ital)", re.IGNORECASE)
_TELLING = re.compile(r"[a-z]{5}|[\u4e00-\u9fff]{2}", re.IGNORECASE)
_MONO = re.compile(
    r"mono|courier|consol|menlo|monaco|typewriter|cmtt|cousine|inconsolata|sourcecode|firacode", re.IGNORECASE
)
_ITALIC = re.compile(r"ital|obli|slant|kursiv|cmti|cmsl|sfti|-it\b", re.IGNORECASE)
_FIXED_PITCH = 1 << 0
_SLANTED = 1 << 6
_FORCE_BOLD = 1 << 18
_HEAVY = 700


class FontTraits(NamedTuple):
    """What a font's name and flags say.

    :param fixed: whether only a flag of the font says that it is monospaced; CJK fonts carry it as well.
    """

    bold: bool
    mono: bool
    fixed: bool
    italic: bool


def font_traits(font: int) -> FontTraits:
    """Read a font's name, flags and weight.

    :param font: PDFium's handle.
    """
    buffer = ctypes.create_string_buffer(256)
    calls.font_name(font, buffer, 256)
    name = buffer.value.decode("utf-8", "replace")
    flags = max(calls.font_flags(font), 0)
    # The weight that PDFium works out from the stems is a guess, asked only where the name says nothing.
    heavy = not _TELLING.search(name.rpartition("+")[2]) and calls.font_weight(font) >= _HEAVY
    bold = _BOLD.search(name) is not None or bool(flags & _FORCE_BOLD) or heavy
    italic = _ITALIC.search(name) is not None or bool(flags & _SLANTED)
    return FontTraits(bold, _MONO.search(name) is not None, bool(flags & _FIXED_PITCH), italic)
