"""Read documents that were judged, and see whether their titles will do."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.enrichers.metadata_enricher import MetadataEnricher
from khub.components.splitters.markdown_splitter import MarkdownSplitter
from khub.eval.lab.documents.titles.judged import Judged, is_usable

Row = dict[str, Any]


def measure(folders: Sequence[Path], judged: Iterable[Judged]) -> list[Row]:
    """Read the judged files as the default ingest graph does, but for OCR, and return a row for each.

    :param folders: looked through with all that is in them; a file is known by name and content.
    :param judged: those that no folder has, or that cannot be read, are left out.
    :returns: file, where, kind (its extension), half, the title that is shown (the file's name where there is none) and
        whether it is usable.
    """
    wanted = {(one.file, one.sha256): one for one in judged}
    found = {key: path for path in _files(folders, {name for name, _ in wanted}) if (key := _key(path)) in wanted}
    titles = read_titles(sorted(found.values()))
    read = {key: str(path) for key, path in found.items() if str(path) in titles}
    return [_row(one, titles[read[key]] or Path(one.file).stem) for key, one in wanted.items() if key in read]


def read_titles(files: Sequence[Path]) -> Mapping[str, str | None]:
    """Return the title of each file that can be read, by its path."""
    remaining = [_source(path) for path in files]
    titles: dict[str, str | None] = {}
    converter, splitter, enricher = MarkItDownConverter(pictures=False), MarkdownSplitter(), MetadataEnricher(0, 0)
    try:
        while remaining:
            result = converter.run(sources=remaining)
            chunks = enricher.run(splitter.run(result["documents"])["documents"])["documents"]
            titles |= {chunk.meta["source"]: chunk.meta["title"] for chunk in chunks}
            rest = set(result["remaining"])
            remaining = [source for source in remaining if source["path"] in rest]
    finally:
        converter.close()
    return titles


def shares(rows: Sequence[Row]) -> list[Row]:
    """Return how many titles are usable: in each half, in the measuring half by kind of file, and in all."""
    measuring = [row for row in rows if row["half"] == "measure"]
    parts = {"choose": [row for row in rows if row["half"] == "choose"], "measure": measuring}
    for kind in sorted({row["kind"] for row in measuring}):
        parts[f"measure, {kind}"] = [row for row in measuring if row["kind"] == kind]
    counts = {
        part: (len(of_it), sum(row["usable"] for row in of_it)) for part, of_it in (parts | {"all": rows}).items()
    }
    return [
        {"part": part, "files": files, "usable": usable, "share": round(usable / files, 3) if files else None}
        for part, (files, usable) in counts.items()
    ]


def _row(one: Judged, title: str) -> Row:
    usable = is_usable(title, one.titles)
    kind = Path(one.file).suffix.lstrip(".").lower()
    return {"file": one.file, "where": one.where, "kind": kind, "half": one.half, "title": title, "usable": usable}


def _files(folders: Sequence[Path], names: set[str]) -> Iterable[Path]:
    return (file for folder in folders for file in sorted(folder.rglob("*")) if file.name in names and file.is_file())


def _key(path: Path) -> tuple[str, str]:
    return path.name, sha256(path.read_bytes()).hexdigest()


def _source(path: Path) -> Row:
    data = path.read_bytes()
    digest = sha256(data).hexdigest()
    return {"path": str(path), "doc_id": digest[:16], "sha256": digest, "size": len(data), "meta": {}}
