"""The scanned pages among the repository's own samples: what the golden questions ask for is read."""

import hashlib
import re
from pathlib import Path

import pytest

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.ocr.ocr_reader import OcrReader

pytestmark = pytest.mark.integration

SAMPLES = Path(__file__).parents[3] / "eval" / "samples" / "handbook"
ASKED = {
    "traces-and-latency-en.pdf": [
        r"rerank, 50 candidates \| 210 ms",
        r"load test: Tomasz, 40 req/s",
        r"next look: 14 May, bring the traces!",
    ],
    "mcp-security-zh.pdf": [
        r"\| ingest \|.*\| 仅限工作日 ?9 ?点至 ?18 ?点 \|",
        r"\| delete_document \|.*\| 驳回 \|",
        r"\| run_graph \|.*\| 驳回 \|",
        r"SEC-MCP-0417",
    ],
}


@pytest.mark.parametrize("name", ASKED)
def test_scanned_page_says_what_the_golden_questions_ask(name: str) -> None:
    pytest.importorskip("rapidocr", reason="RapidOCR is not installed: pip install 'knowledge-hub[ocr]'")
    path = SAMPLES / name
    converter = MarkItDownConverter()
    try:
        source = {"path": str(path), "doc_id": "d", "sha256": _sha256(path), "size": path.stat().st_size}
        converted = converter.run([source])
    finally:
        converter.close()
    assert converted["documents"][0].meta["needs_ocr"] == [3]

    result = OcrReader().run(converted["documents"], converted["pictures"])

    (document,) = result["documents"]
    assert "needs_ocr" not in document.meta
    third, fourth = document.meta["page_starts"][2:4]
    text = document.content[third:fourth]
    assert [words for words in ASKED[name] if not re.search(words, text)] == []
    blocks = [block for block in document.meta["blocks"] if block["page"] == 3]
    assert [block["kind"] for block in blocks].count("table") == 1
    assert all(third <= block["start"] < block["end"] <= fourth for block in blocks)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
