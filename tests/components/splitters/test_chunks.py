import json

import pytest
from haystack import Document

from khub.components.splitters.chunk_spans import ChunkSpan
from khub.components.splitters.chunks import build_chunks

pytestmark = pytest.mark.unit

TEXT = "# Herons\n\nA heron waits.\n\n[IMAGE: d1_1_1]\n\nIt fishes."


def chunk_of(start, end, **meta):
    (chunk,) = build_chunks(Document(content=TEXT, meta={"doc_id": "d1", **meta}), [ChunkSpan(start, end, "H", 0, 52)])
    return chunk


def test_what_belongs_to_the_file_stays_out_of_its_chunks():
    of_the_file = {
        "blocks": [],
        "page_starts": [0],
        "pictures": [{}],
        "page_sizes": [],
        "removed": {},
    }
    meta = chunk_of(0, len(TEXT), author="Li", needs_ocr=[1], **of_the_file).meta
    assert not of_the_file.keys() & meta.keys()
    assert (meta["author"], meta["needs_ocr"]) == ("Li", [1])


def test_pictures_and_boxes_are_those_of_the_chunk():
    blocks = [
        {"kind": "heading", "page": 1, "bbox": [10, 10, 90, 20], "start": 0, "end": 8},
        {"kind": "paragraph", "page": 1, "bbox": [10, 30, 90, 40], "start": 10, "end": 24},
        {"kind": "figure", "page": 2, "bbox": [10, 50, 200, 90], "start": 26, "end": 41},
    ]
    whole = chunk_of(0, len(TEXT), blocks=blocks).meta
    assert whole["image_refs"] == ["d1_1_1"]
    assert whole["boxes"] == [[1, 10, 10, 90, 40], [2, 10, 50, 200, 90]]
    first = chunk_of(0, 25, blocks=blocks).meta
    assert (first["image_refs"], first["boxes"]) == ([], [[1, 10, 10, 90, 40]])
    assert json.loads(json.dumps(whole)) == whole


def test_blank_spans_give_no_chunk_and_no_ordinal():
    spans = [ChunkSpan(0, 8, "H", 0, 9), ChunkSpan(8, 10, "H", 0, 9), ChunkSpan(10, 26, "H", 0, 9)]
    chunks = build_chunks(Document(content=TEXT), spans)
    assert [chunk.meta["ordinal"] for chunk in chunks] == [0, 1]


def test_headers_and_symbols_only_where_there_are_any():
    document = Document(content=TEXT)
    plain, full = build_chunks(
        document, [ChunkSpan(0, 8, "H", 0, 9), ChunkSpan(10, 24, "H", 0, 9, table_header="| a |", symbols=("f",))]
    )
    assert not {"table_header", "symbols"} & plain.meta.keys()
    assert (full.meta["table_header"], full.meta["symbols"]) == ("| a |", ["f"])
