"""Render the sources of the handbook (``handbook/*.md.in``) as PDF, DOCX, PPTX and XLSX files.

Not needed to use the samples: the rendered files are part of the repository. To render them again, in the root of the
repository::

    pip install reportlab==5.1.0 python-docx==1.2.0 python-pptx==1.0.2 XlsxWriter==3.3.1 markdown-it-py==4.3.0 \
        pypdfium2==5.15.2 pillow==13.0.0
    apt-get install fonts-wqy-microhei
    python -m khub.eval.lab.samples_source.render_handbook [--font FILE] [--out DIRECTORY] [NAME ...]

The same library versions give the same bytes. How a source is written stands in the README beside this file.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from khub.eval.lab.samples_source.docx_document import write_docx
from khub.eval.lab.samples_source.fonts import DEFAULT_FONT, register_fonts
from khub.eval.lab.samples_source.markdown_source import SUFFIX, Source, read_source
from khub.eval.lab.samples_source.pdf_document import write_pdf
from khub.eval.lab.samples_source.pptx_document import write_pptx
from khub.eval.lab.samples_source.xlsx_document import write_xlsx

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "handbook"
OUT = HERE.parents[1] / "samples" / "handbook"
AUTHOR = "Knowledge Hub handbook"
WRITERS: dict[str, Callable[[Source, Path, str], None]] = {
    "pdf": write_pdf,
    "docx": write_docx,
    "pptx": write_pptx,
    "xlsx": write_xlsx,
}


def main() -> None:
    """Render the sources that are named, or all of them."""
    parser = argparse.ArgumentParser(description="Render the handbook.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"sources, without {SUFFIX} (default: all)")
    parser.add_argument("--font", type=Path, default=DEFAULT_FONT, help="wqy-microhei.ttc")
    parser.add_argument("--out", type=Path, default=OUT, help=f"directory to write to (default: {OUT})")
    arguments = parser.parse_args()

    register_fonts(arguments.font)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in sorted(SOURCES.glob(f"*{SUFFIX}")):
        if arguments.names and path.name.removesuffix(SUFFIX) not in arguments.names:
            continue
        source = read_source(path)
        if source.format not in WRITERS:
            parser.error(f"{path.name} has the format {source.format!r}; known are {', '.join(WRITERS)}")
        WRITERS[source.format](source, arguments.out / f"{source.name}.{source.format}", AUTHOR)


if __name__ == "__main__":
    main()
