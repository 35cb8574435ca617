"""Every file of a folder of other people's files ends as a document or as a clear failure, in bounded time."""

import time
from pathlib import Path

import psutil
import pytest

from khub.components.converters.file_types import CONVERTED_TYPES, TEXT_TYPES
from khub.components.converters.markitdown_converter import MarkItDownConverter

SECONDS_PER_FILE = 10
MEGABYTES = 1500


def files(data: Path, folder: str) -> list[Path]:
    found = sorted(path for path in (data / folder).glob("*") if path.name != "manifest.jsonl")
    if not found:
        pytest.skip(f"no folder {folder!r} in {data}")
    return found


def convert_all(paths, source_of):
    component = MarkItDownConverter(timeout_s=SECONDS_PER_FILE)
    outcomes = {}
    try:
        for path in paths:
            began = time.monotonic()
            result = component.run(sources=[source_of(path)])
            assert time.monotonic() - began < SECONDS_PER_FILE + 5, path.name
            assert len(result["documents"]) + len(result["failed"]) == 1
            outcomes[path.name] = (result["documents"] or result["failed"])[0]
            for pid in component._pool.pids:
                assert psutil.Process(pid).memory_info().rss < MEGABYTES * 1_000_000
    finally:
        component.close()
    return outcomes


def assert_sound(document):
    text, meta = document.content, document.meta
    assert text.strip() or meta["needs_ocr"]
    assert "\r" not in text
    assert "\x00" not in text
    text.encode("utf-8")
    if "page_starts" in meta:
        starts = meta["page_starts"]
        assert len(starts) == meta["page_count"]
        assert starts == sorted(starts)
        assert starts[0] == 0
        assert starts[-1] <= len(text)
    for block in meta.get("blocks", []):
        assert 0 <= block["start"] < block["end"] <= len(text)


@pytest.mark.integration
def test_bad_files(test_data, source_of):
    outcomes = convert_all(files(test_data, "bad"), source_of)
    for name, outcome in outcomes.items():
        if isinstance(outcome, dict):
            assert repr(name) in outcome["error"]
            assert outcome["remedy"]
            assert "crashed" not in outcome["error"]
            assert "report this file" not in outcome["remedy"]
        else:
            assert_sound(outcome)
    failed = {name for name, outcome in outcomes.items() if isinstance(outcome, dict)}
    assert "is encrypted" in outcomes["saslprep-r6.pdf"]["error"]
    assert "is empty" in outcomes["derived_empty.pdf"]["error"]
    assert "damaged" in outcomes["Brotli-Prototype-FileA.pdf"]["error"]
    assert "save it as .jpg" in outcomes["balloon_trunc2.jp2"]["remedy"]
    assert "save it as .docx" in outcomes["pages_password_protected.pages"]["remedy"]
    assert not {"derived_utf16.md", "derived_truncated_tail.pdf", "encryption_nocopy.pdf", "mixedfonts.pdf"} & failed


LARGE = 800_000  # bytes; half a minute for the PDFs above


@pytest.mark.integration
@pytest.mark.parametrize(
    ("folder", "large"), [("office", False), ("pdfs", False), pytest.param("pdfs", True, marks=pytest.mark.soak)]
)
def test_good_files(folder, large, test_data, source_of):
    chosen = [path for path in files(test_data, folder) if (folder == "pdfs" and path.stat().st_size > LARGE) == large]
    outcomes = convert_all(chosen, source_of)
    for name, outcome in outcomes.items():
        if isinstance(outcome, dict):
            unread = Path(name).suffix.lower() not in {**CONVERTED_TYPES, **TEXT_TYPES}
            without = "LibreOffice" in outcome["error"] and "not installed" in outcome["error"]
            assert unread or without or "has no text" in outcome["error"], outcome
        else:
            assert_sound(outcome)
