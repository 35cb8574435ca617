"""A program that draws a page of a PDF, or a picture, and writes it to standard output, behind a line of JSON about it.

It is a process of its own because the PDF library is native code and may be brought down by a file.
"""

import ctypes
import io
import json
import sys
from typing import Any

from khub.server.reads.evidence_boxes import Character, evidence_boxes

FINE = 64
"""Parts of a point."""
PASSAGE = (255, 214, 0, 60)
EVIDENCE = (255, 150, 0, 120)
MARGIN_POINTS = 2
PICTURES = (".png", ".jpg")


def draw_page(
    path: str, page: int, boxes: list[list[float]], longest: int, evidence: str, marked: bool
) -> tuple[dict[str, Any], bytes]:
    """Return what is known of a page, and its picture: a PNG with the places marked, or a WebP without marks.

    What is known: `width` and `height` in points (of a picture in pixels), and `evidence`, the boxes of its lines.

    :param path: of the PDF; or of a picture, as the catalog keeps it.
    :param page: from 1.
    :param boxes: left, top, right, bottom in points (of a picture in pixels) from the top left, of a passage.
    :param longest: the longest side of the image, in pixels.
    :param evidence: what of the passage is marked more strongly.
    :raises IndexError: if there is no such page.
    """
    lines: list[list[float]] = []
    if path.endswith(PICTURES):
        image, scale = _picture(path, longest)
    else:
        image, scale, lines = _page(path, page, longest, evidence, boxes)
    about = {"width": image.width / scale, "height": image.height / scale, "evidence": lines}
    if not marked:
        return about, _encoded(image, "WEBP", quality=88, method=2)
    image = _marked(image, [*((box, PASSAGE) for box in boxes), *((box, EVIDENCE) for box in lines)], scale)
    return about, _encoded(image, "PNG", optimize=True)


def _picture(path: str, longest: int) -> tuple[Any, float]:
    from PIL import Image

    with Image.open(path) as picture:
        scale = min(longest / max(picture.size), 1.0)
        size = [max(round(side * scale), 1) for side in picture.size]
        clear = picture.convert("RGBA").resize(size, Image.Resampling.LANCZOS)
    return Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear), scale


def _page(
    path: str, page: int, longest: int, evidence: str, boxes: list[list[float]]
) -> tuple[Any, float, list[list[float]]]:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        if not 1 <= page <= len(document):
            raise IndexError(f"it has {len(document)} pages")
        sheet = document[page - 1]
        scale = longest / max(sheet.get_size())
        lines = evidence_boxes(_characters(sheet), evidence, boxes) if evidence else []
        return sheet.render(scale=scale).to_pil(), scale, lines


def _characters(sheet: Any) -> list[Character]:
    """Return the characters of a page where it shows them, turned and cut as it is."""
    from pypdfium2 import raw

    text, (width, height) = sheet.get_textpage(), sheet.get_size()
    found = []
    for index in range(text.count_chars()):
        left, bottom, right, top = text.get_charbox(index, loose=True)
        first, second = (_shown_at(raw, sheet, width, height, *corner) for corner in ((left, top), (right, bottom)))
        xs, ys = sorted((first[0], second[0])), sorted((first[1], second[1]))
        found.append(Character(text.get_text_range(index, 1), (xs[0], ys[0], xs[1], ys[1])))
    return found


def _shown_at(raw: Any, sheet: Any, width: float, height: float, x: float, y: float) -> tuple[float, float]:
    """Return a place from the top left of what is shown; the library knows whole pixels, so it is given many."""
    across, down = ctypes.c_int(), ctypes.c_int()
    size = (round(width * FINE), round(height * FINE))
    raw.FPDF_PageToDevice(sheet, 0, 0, *size, 0, x, y, ctypes.byref(across), ctypes.byref(down))
    return across.value / FINE, down.value / FINE


def _marked(image: Any, marks: list[tuple[list[float], tuple[int, int, int, int]]], scale: float) -> Any:
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for (left, top, right, bottom), color in marks:
        corners = (left - MARGIN_POINTS, top - MARGIN_POINTS, right + MARGIN_POINTS, bottom + MARGIN_POINTS)
        pen.rectangle([side * scale for side in corners], fill=color, outline=(*color[:3], 255), width=2)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _encoded(image: Any, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


if __name__ == "__main__":
    try:
        about, picture = draw_page(**json.loads(sys.argv[2]))
        sys.stdout.buffer.write(json.dumps(about).encode() + b"\n" + picture)
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
