"""Pages a second of the engines, one process, one after the other; and of the hub's pool of processes."""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pypdfium2

from components.converters.markitdown_converter import MarkItDownConverter
from eval.documents.engines import ENGINES

BEST_OF = 3  # runs of the hub's reader
POOL = 2  # processes


def measure_speed(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Time both engines on the same files in this process, file by file; then the hub's pool of one and of two.

    :returns: a row for each file: `file`, `pages`, pages a second of each engine (the hub's best of three runs) and
        `times`, the one over the other; then seconds of CPU time and their `times (CPU)`, which differ when the machine
        does something else beside; the characters that each read, since an engine that reads nothing
        is quick; and how many times as fast two processes are as one (best of three each, processes started).
    """
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    khub, markitdown = ENGINES["khub"](), ENGINES["markitdown"]()
    rows = []
    for file in files:
        with pypdfium2.PdfDocument(file) as document:
            pages = len(document)
        runs = [_seconds(khub, file) for _ in range(BEST_OF)]
        ours, ours_cpu = min(run[0] for run in runs), min(run[1] for run in runs)
        theirs, theirs_cpu, their_text = _seconds(markitdown, file)
        rows.append({
            "file": file.name, "pages": pages, "khub pages/s": round(pages / ours, 1),
            "markitdown pages/s": round(pages / theirs, 1), "times": round(theirs / ours, 1),
            "khub CPU s": round(ours_cpu, 2), "markitdown CPU s": round(theirs_cpu, 2),
            "times (CPU)": round(theirs_cpu / ours_cpu, 1),
            "khub characters": len(runs[0][2]),
            "markitdown characters": len(their_text),
            f"pool of {POOL}, times": round(_in_pool(file, 1) / _in_pool(file, POOL), 2),
        })  # fmt: skip
    return rows


def _in_pool(file: Path, processes: int) -> float:
    """Return the seconds that the ingest's converter takes, its processes running."""
    source = {"path": str(file), "doc_id": file.name, "sha256": "", "size": file.stat().st_size}
    converter = MarkItDownConverter(workers=processes, pictures=False)
    try:
        converter.run([source])
        return min(_seconds(converter.run, [source])[0] for _ in range(BEST_OF))
    finally:
        converter.close()


def _seconds(work: Callable[[Any], Any], given: Any) -> tuple[float, float, Any]:
    """Return the seconds on the clock, those of the processor, and what came of the work."""
    started, worked = time.perf_counter(), time.process_time()
    result = work(given)
    return time.perf_counter() - started, time.process_time() - worked, result
