"""A program that draws a page of a PDF, or a picture, with passages marked, and writes it as PNG to standard output.

It is a process of its own because the PDF library is native code and may be brought down by a file.
"""

import io
import json
import sys
from typing import Any

POINTS_PER_INCH = 72
MARK = (255, 214, 0, 90)
MARGIN_POINTS = 2
PICTURES = (".png", ".jpg")
LABEL_POINTS = 11
LABEL = ((20, 20, 20), (255, 255, 255))
"""Ground and letters."""


def draw_page(path: str, page: int, boxes: list[list[float]], labels: list[str], longest: int) -> bytes:
    """Return a page as PNG.

    :param path: of the PDF; or of a picture, as the catalog keeps it.
    :param page: from 1.
    :param boxes: left, top, right, bottom in points (of a picture in pixels) from the top left, of what is marked.
    :param labels: a short text for each box, beside which it stands; empty for none.
    :param longest: the longest side of the image, in pixels.
    :raises IndexError: if there is no such page.
    """
    if path.endswith(PICTURES):
        image, scale = _picture(path, longest)
    else:
        image, scale = _page(path, page, longest)
    return _png(_labelled(_marked(image, boxes, scale), boxes, labels, scale))


def _picture(path: str, longest: int) -> tuple[Any, float]:
    from PIL import Image

    with Image.open(path) as picture:
        scale = min(longest / max(picture.size), 1.0)
        size = [max(round(side * scale), 1) for side in picture.size]
        clear = picture.convert("RGBA").resize(size, Image.Resampling.LANCZOS)
    return Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear), scale


def _page(path: str, page: int, longest: int) -> tuple[Any, float]:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        if not 1 <= page <= len(document):
            raise IndexError(f"it has {len(document)} pages")
        sheet = document[page - 1]
        scale = longest / max(sheet.get_size())
        return sheet.render(scale=scale).to_pil(), scale


def _marked(image: Any, boxes: list[list[float]], scale: float) -> Any:
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for left, top, right, bottom in boxes:
        corners = (left - MARGIN_POINTS, top - MARGIN_POINTS, right + MARGIN_POINTS, bottom + MARGIN_POINTS)
        pen.rectangle([side * scale for side in corners], fill=MARK, outline=(*MARK[:3], 255), width=2)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _labelled(image: Any, boxes: list[list[float]], labels: list[str], scale: float) -> Any:
    from PIL import ImageDraw, ImageFont

    letters = max(scale, 1.0)  # a picture has more pixels than a page has points
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(LABEL_POINTS * letters)
    space = MARGIN_POINTS * letters
    for (left, top, *_), label in zip(boxes, labels, strict=bool(labels)):
        width = pen.textlength(label, font) + 2 * space
        x, y = max(0, left * scale - space - width), top * scale - space  # beside the text, not on it
        pen.rectangle((x, y, x + width, y + LABEL_POINTS * letters + 2 * space), LABEL[0])
        pen.text((x + space, y + space), label, LABEL[1], font)
    return image


def _png(image: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(draw_page(**json.loads(sys.argv[2])))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
