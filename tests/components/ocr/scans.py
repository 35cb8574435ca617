"""Documents with pictures, and an engine that knows what each of them says."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
from haystack import Document
from PIL import Image

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.ocr.text_line import TextLine

PAGE_SIZE = (750.0, 1000.0)


def line(text: str, left: float, top: float, right: float, height: float = 20.0, score: float = 0.99) -> TextLine:
    return TextLine(text, score, ((left, top), (right, top), (right, top + height), (left, top + height)))


class FakeEngine:
    """Reads the shade of a picture's first pixel, and answers with the lines that stand for it."""

    def __init__(self, answers: Mapping[int, Sequence[TextLine] | Exception]) -> None:
        self.answers = answers
        self.read_shapes: list[tuple[int, ...]] = []

    def read(self, pixels: np.ndarray) -> list[TextLine]:
        self.read_shapes.append(pixels.shape)
        answer = self.answers[int(pixels[0, 0, 0])]
        if isinstance(answer, Exception):
            raise answer
        return list(answer)


def png(shade: int, size: tuple[int, int] = (750, 1000)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (shade, shade, shade)).save(stream, "PNG")
    return stream.getvalue()


def scan(page: int, shade: int, doc_id: str = "doc") -> DocumentPicture:
    picture = Picture(page, 1, (0.0, 0.0, *PAGE_SIZE), 750, 1000, "image/png", png(shade), "page")
    return DocumentPicture(f"{doc_id}_{page}_1", doc_id, f"/files/{doc_id}.pdf", picture)


def figure(page: int | None, shade: int, doc_id: str = "doc") -> DocumentPicture:
    picture = Picture(page, 1, None, 300, 200, "image/png", png(shade, (300, 200)), "raster")
    return DocumentPicture(f"{doc_id}_{page or 0}_1", doc_id, f"/files/{doc_id}.pdf", picture)


def file(page: int, shade: int, doc_id: str = "doc") -> DocumentPicture:
    picture = Picture(page, 1, None, 750, 1000, "image/png", png(shade), "file")
    return DocumentPicture(f"{doc_id}_{page}_1", doc_id, f"/files/{doc_id}.png", picture)


def paged(texts: Sequence[str], needs_ocr: Sequence[int], doc_id: str = "doc") -> Document:
    starts, content = [], ""
    for text in texts:
        starts.append(len(content) + 2 * bool(content and text))
        content += ("\n\n" if content and text else "") + text
    starts = [min(start, len(content)) for start in starts]
    meta = {"doc_id": doc_id, "source": f"/files/{doc_id}.pdf", "title": None, "page_starts": starts, "blocks": []}
    return Document(content=content, meta={**meta, "page_count": len(texts), "needs_ocr": list(needs_ocr)})
