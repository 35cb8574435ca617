"""What the hub's readers of office files buy over MarkItDown's: `python -m khub.eval.lab.documents.readers DIR…`."""

import base64
import re
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from bs4 import BeautifulSoup
from markitdown import MarkItDown

from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.converters.html.main_content import AROUND
from khub.components.converters.office.pictures import PictureCollector
from khub.components.errors import OptionError
from khub.components.splitters.markdown_blocks import parse_blocks
from khub.eval.lab.documents.engines import MAX_MB
from khub.eval.lab.documents.report import markdown_table
from khub.eval.lab.documents.words import missing_words, words
from khub.eval.machine import machine

KINDS = (".docx", ".pptx", ".epub", ".html")
BEST_OF = 3  # runs of each reader on each file
ITEM = re.compile(r"^[ \t]*(?:[-*+]|[0-9A-Za-z]{1,4}[.)])[ \t]+\S", re.MULTILINE)
DATA_URI = re.compile(r"!\[[^\]]*\]\(data:[^,)]*;base64,([^)\s]+)")
ADDRESS = re.compile(r"\]\([^)]*\)|\[IMAGE: [^\]]*\]|<!--.*?-->")
MOVING_AROUND = "nav, header, footer, aside, form, [role=navigation], #mw-navigation, #footer"
REPORT = """# What the readers of office files buy over MarkItDown's own

    {command}

{machine}.

Both read the same files of other people. **found**: words of the file's own text that stand in the Markdown, those not
counted that were left out on purpose (a table of contents). **of menus**: words of `nav`, `header`, `footer`, `aside`
and `form` that came through. **CPU s**: best of three for each file. **failed**: files from which nothing came (some of
them are damaged on purpose).

{table}

{what}
"""
Reader = Callable[[Path], tuple[str, int, int]]
"""File -> its Markdown, how many pictures came with it, and how many words were left out on purpose."""
BOUGHT = {
    ".docx": "stays: headings by outline level and in text boxes, a file whose picture is only linked, formulas; it "
    "leaves the table of contents out and takes an eighth of the time",
    ".pptx": "stays: lists, formulas, slides as pages, a file with a shape that MarkItDown does not know",
    ".epub": "stays: pictures (MarkItDown loses them all), no pages that only list the chapters, books whose package "
    "document has prefixed names",
    ".html": "the finder of a page's content stays (the words that it lacks are Wikipedia's categories); of the writer "
    "only pictures, formulas, and tables with merged cells (markdownify: no rule below the head, wrong columns)",
}


def measure(files: Sequence[Path], readers: dict[str, Reader]) -> list[dict[str, Any]]:
    """Return a row for each kind of file and reader: what it found in all files of that kind."""
    return [
        {"kind": kind, "files": len(of_kind), "reader": name, **_found(of_kind, reader)}
        for kind in KINDS
        if (of_kind := [file for file in files if file.suffix.lower() == kind])
        for name, reader in readers.items()
    ]


def hub() -> Reader:
    """Return the hub's readers."""
    markitdown = build_markitdown()

    def read(file: Path) -> tuple[str, int, int]:
        converted = convert_bytes(markitdown, file.read_bytes(), file.name, MAX_MB)
        # Of menus nothing is wanted to begin with.
        removed = sum(count for what, count in converted.get("removed", {}).items() if what != AROUND)
        return converted["text"], len(converted.get("pictures", ())), removed

    return read


def markitdown() -> Reader:
    """Return MarkItDown as it comes, told to keep pictures; those count that the hub would keep."""
    converter = MarkItDown()

    def read(file: Path) -> tuple[str, int, int]:
        text = converter.convert(file, keep_data_uris=True).markdown
        pictures = PictureCollector()
        for found in DATA_URI.finditer(text):
            pictures.add(base64.b64decode(found[1]))
        return DATA_URI.sub("![](", text), len(pictures.pictures), 0

    return read


def _found(files: Sequence[Path], reader: Reader) -> dict[str, Any]:
    found = dict.fromkeys(("failed", "headings", "tables", "list items", "pictures"), 0)
    wanted = lacking = around = 0
    seconds = 0.0
    for file in files:
        try:
            taken = [_timed(reader, file) for _ in range(BEST_OF)]
        except Exception:  # whatever a reader raises, the file is lost
            found["failed"] += 1
            continue
        seconds += min(one for one, _ in taken)
        text, pictures, removed = taken[0][1]
        kinds = [block.kind for block in parse_blocks(text)]
        found["headings"] += kinds.count("heading")
        found["tables"] += kinds.count("table")
        found["list items"] += len(ITEM.findall(text))
        found["pictures"] += pictures
        content, menus = _words_of(file)
        plain = ADDRESS.sub(" ", text)
        count, missing = missing_words(content, plain)
        wanted, lacking = wanted + count, lacking + max(0, missing.total() - removed)
        around += len(words(menus)) - missing_words(menus, plain)[1].total()
    return {**found, "words": wanted, "found": round(1 - lacking / max(wanted, 1), 4), "of menus": around,
            "CPU s": round(seconds, 2)}  # fmt: skip


def _timed(reader: Reader, file: Path) -> tuple[float, tuple[str, int, int]]:
    started = time.process_time()
    read = reader(file)
    return time.process_time() - started, read


def _words_of(file: Path) -> tuple[str, str]:
    """Return the text of a file by its markup alone, and that of the parts of a page for moving around."""
    if file.suffix.lower() in (".html", ".epub"):
        soups = [BeautifulSoup(page, "html.parser") for page in _pages(file)]
        for soup in soups:
            for blind in soup(["script", "style", "head", "template"]):
                blind.decompose()
        menus = [part.extract().get_text(" ") for soup in soups for part in soup.select(MOVING_AROUND) if part.parent]
        return " ".join(soup.get_text(" ") for soup in soups), " ".join(menus)
    texts = [
        _paragraphs(part) for part in _parts(file, r"(word/(document|footnotes|endnotes)|ppt/slides/slide\d+)\.xml")
    ]
    return "\n".join(texts), ""


def _paragraphs(part: bytes) -> str:
    soup = BeautifulSoup(part, "xml")
    for twice in soup.find_all(["del", "Fallback"]):
        twice.decompose()
    return "\n".join("".join(run.get_text() for run in line.find_all("t")) for line in soup.find_all("p"))


def _pages(file: Path) -> Iterator[bytes]:
    return iter([file.read_bytes()]) if file.suffix.lower() == ".html" else _parts(file, r".*\.x?html?")


def _parts(file: Path, names: str) -> Iterator[bytes]:
    with zipfile.ZipFile(file) as archive:
        yield from (archive.read(name) for name in sorted(archive.namelist()) if re.fullmatch(names, name))


def readers(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", exists=True, file_okay=False)],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table and the command here.")] = None,
) -> None:
    """Compare the hub's readers of office files with MarkItDown's own on the files of folders."""
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    if not any(file.suffix.lower() in KINDS for file in files):
        raise OptionError(f"{folders[0]} has no file {', '.join(KINDS)}", "name a folder that has some")
    table = markdown_table(measure(files, {"hub": hub(), "markitdown": markitdown()}))
    typer.echo(table)
    if out:
        command = f"python -m khub.eval.lab.documents.readers {' '.join(folder.name for folder in folders)} --out {out}"
        what = "\n".join(f"- `{kind}` {said}." for kind, said in BOUGHT.items())
        out.write_text(REPORT.format(command=command, machine=machine(), table=table, what=what), encoding="utf-8")


if __name__ == "__main__":
    typer.run(readers)
