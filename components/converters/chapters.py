"""Chapters of a recording, from a file of Podcasting 2.0 beside it."""

import json
import math
from pathlib import Path

from khub.components.converters.source_reader import MEGABYTE
from khub.components.converters.spoken_text import Chapter


def chapters_beside(path: Path) -> list[Chapter]:
    """Return the chapters of a recording, from a file of Podcasting 2.0 beside it; none where there is no such file.

    :param path: the recording, or its captions: of `talk.mp3` it is `talk.chapters.json`, `talk_chapters.json` or
        `talk.json`.
    """
    for name in (f"{path.stem}.chapters.json", f"{path.stem}_chapters.json", f"{path.stem}.json"):
        file = path.with_name(name)
        if file.is_file() and file.stat().st_size <= MEGABYTE and (found := _chapters(file.read_bytes())):
            return found
    return []


def _chapters(data: bytes) -> list[Chapter]:
    """Return the chapters; none of a file that is anything else: nobody has said what it is."""
    try:
        listed = json.loads(data)["chapters"]
        shown = [one for one in listed if one.get("toc", True) and str(one.get("title") or "").strip()]
        found = [Chapter(float(one["startTime"]), " ".join(str(one["title"]).split())) for one in shown]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    return sorted((one for one in found if math.isfinite(one.start)), key=lambda chapter: chapter.start)
