"""One file through the hub's reader, in a process of its own: `python -m eval.documents.read_file FILE`."""

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from components.errors import KhubError
from eval.bench.figures import peak_mb
from eval.documents.engines import MAX_MB

WORST = 8  # missing words that are shown


def read_file(file: Path) -> dict[str, Any]:
    """Convert a file and compare its text with PDFium's own.

    :returns: `{error}` with the message of a failure, or `{pages, accounted, words_found, …}`; always `seconds`,
        `cpu_s` (as `seconds` on a machine with nothing else to do) and `peak_mb`.
    """
    from components.converters.conversion import build_markitdown, convert_bytes

    markitdown = build_markitdown()
    data = file.read_bytes()
    started, worked = time.perf_counter(), time.process_time()
    try:
        converted = convert_bytes(markitdown, data, file.name, MAX_MB)
    except (KhubError, MemoryError) as error:
        return {"error": str(error) or type(error).__name__, **_taken(started, worked)}
    made = {**_taken(started, worked), "characters": len(converted["text"])}
    return {**made, **_pages(data, converted)} if file.suffix.lower() == ".pdf" else made


def _pages(data: bytes, converted: dict[str, Any]) -> dict[str, Any]:
    import pypdfium2

    from eval.documents.words import missing_words

    with pypdfium2.PdfDocument(data) as document:
        texts = [_text(document, number) for number in range(len(document))]
    count, missing = missing_words("\n".join(texts), converted["text"] + "\n" + _of_pictures(converted))
    removed = sum(converted.get("removed", {}).values())
    lacking = max(0, missing.total() - removed)
    return {
        "pages": len(texts),
        "accounted": converted.get("page_count") == len(texts) and not _silent(converted),
        "silent_pages": _silent(converted),
        "needs_ocr": len(converted.get("needs_ocr", ())),
        "words": count,
        "missing": missing.total(),
        "removed": removed,
        "words_found": round(1 - lacking / count, 4) if count else None,
        "most_missing": dict(missing.most_common(WORST)),
    }


def _of_pictures(converted: dict[str, Any]) -> str:
    """Return the captions of pictures, which may have left the text."""
    return "\n".join(picture.get("caption", "") for picture in converted.get("pictures", ()))


def _silent(converted: dict[str, Any]) -> list[int]:
    """Return the pages that have no text although nothing says that they have none."""
    starts = [*converted.get("page_starts", ()), len(converted["text"])]
    told = {*converted.get("empty_pages", ()), *converted.get("damaged_pages", ()), *converted.get("needs_ocr", ())}
    return [
        number
        for number, (start, end) in enumerate(pairwise(starts), 1)
        if number not in told and not converted["text"][start:end].strip()
    ]


def _text(document: Any, number: int) -> str:
    import pypdfium2

    try:
        page = document[number]
        return page.get_textpage().get_text_range()
    except pypdfium2.PdfiumError:
        return ""


def _taken(started: float, worked: float) -> dict[str, float]:
    return {
        "seconds": round(time.perf_counter() - started, 3),
        "cpu_s": round(time.process_time() - worked, 3),
        "peak_mb": peak_mb(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(read_file(Path(sys.argv[1]))))
