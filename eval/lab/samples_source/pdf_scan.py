"""Pages of a PDF as a scanner would give them: pictures without a text layer."""

import io

import pypdfium2
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

DPI = 150
QUALITY = 55
TILT = 0.35  # degrees: no sheet lies straight on the glass


def scan(pdf: bytes, numbers: tuple[int, ...]) -> dict[int, ImageReader]:
    """Turn pages into grey JPEG pictures.

    :param pdf: the document.
    :param numbers: of the pages, from 1.
    """
    document = pypdfium2.PdfDocument(pdf)
    pictures = {}
    for number in numbers:
        image = document[number - 1].render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
        image = image.rotate(TILT, resample=Image.Resampling.BICUBIC, fillcolor=236).point(
            lambda grey: 18 + grey * 0.86
        )
        out = io.BytesIO()
        image.save(out, format="JPEG", quality=QUALITY)
        out.seek(0)
        pictures[number] = ImageReader(out)
    document.close()
    return pictures


class ScannedPages(Canvas):
    """A canvas that shows a picture in place of what was drawn on some pages."""

    _code: list[str]  # what reportlab has drawn of the page
    pictures: dict[int, ImageReader] = {}  # noqa: RUF012  (reportlab makes the canvas: `with_pictures` gives them)

    def showPage(self) -> None:  # noqa: N802  (reportlab's name)
        """End the page, as a picture where there is one."""
        picture = self.pictures.get(self._pageNumber)
        if picture is not None:
            self._code = []
            self.drawImage(picture, 0, 0, *self._pagesize)
        super().showPage()


def with_pictures(pictures: dict[int, ImageReader]) -> type[ScannedPages]:
    """Return a canvas class that shows these pictures, by page number."""
    return type("ScannedPagesOfOneDocument", (ScannedPages,), {"pictures": pictures})
