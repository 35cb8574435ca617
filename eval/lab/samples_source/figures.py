"""Figures: found by name, as a drawing for a PDF or as a picture for an Office file."""

import importlib
import io
from collections.abc import Callable
from pathlib import Path

import pypdfium2
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Drawing
from reportlab.pdfgen.canvas import Canvas

MODULES = ("handbook_figures", "handbook_figures_zh")


def draw(name: str) -> Drawing:
    """Draw a figure.

    :param name: name of a function without parameters in one of `MODULES`.
    :raises ValueError: when there is no such function.
    """
    for module in MODULES:
        if not (Path(__file__).parent / f"{module}.py").exists():
            continue
        function: Callable[[], Drawing] | None = getattr(
            importlib.import_module(f"khub.eval.lab.samples_source.{module}"), name, None
        )
        if function is not None:
            return function()
    raise ValueError(f"no figure {name!r} in {', '.join(MODULES)}")


def picture(name: str, dpi: int = 170) -> io.BytesIO:
    """Draw a figure as a PNG.

    :param name: see `draw`.
    :param dpi: dots per inch.
    """
    drawing = draw(name)
    page = io.BytesIO()
    canvas = Canvas(page, pagesize=(drawing.width, drawing.height), invariant=1)
    renderPDF.draw(drawing, canvas, 0, 0)
    canvas.save()
    document = pypdfium2.PdfDocument(page.getvalue())
    image = document[0].render(scale=dpi / 72).to_pil().quantize(64)
    document.close()
    out = io.BytesIO()
    image.save(out, format="PNG", optimize=True)
    out.seek(0)
    return out
