"""Pages a second of the engines, one process, one after the other."""

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2

from eval.documents.engines import ENGINES, Engine

BEST_OF = 3  # runs of the hub's reader


def measure_speed(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Time both engines on the same files in this process, file by file.

    :returns: a row for each file: `file`, `pages`, pages a second of each engine (the hub's best of three runs) and
        `times`, the one over the other; then seconds of CPU time and their `times (CPU)`, which differ when the machine
        does something else beside.
    """
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    khub, markitdown = ENGINES["khub"](), ENGINES["markitdown"]()
    rows = []
    for file in files:
        with pypdfium2.PdfDocument(file) as document:
            pages = len(document)
        runs = [_seconds(khub, file) for _ in range(BEST_OF)]
        ours, ours_cpu = (min(values) for values in zip(*runs, strict=True))
        theirs, theirs_cpu = _seconds(markitdown, file)
        rows.append({
            "file": file.name, "pages": pages, "khub pages/s": round(pages / ours, 1),
            "markitdown pages/s": round(pages / theirs, 1), "times": round(theirs / ours, 1),
            "khub CPU s": round(ours_cpu, 2), "markitdown CPU s": round(theirs_cpu, 2),
            "times (CPU)": round(theirs_cpu / ours_cpu, 1),
        })  # fmt: skip
    return rows


def _seconds(engine: Engine, file: Path) -> tuple[float, float]:
    started, worked = time.perf_counter(), time.process_time()
    engine(file)
    return time.perf_counter() - started, time.process_time() - worked
