import json

import pytest
from haystack import Document

from khub.components.answers.citation import citation, citations
from khub.components.answers.highlight import Highlighter
from khub.components.home import hub_home
from khub.components.value import as_json

pytestmark = pytest.mark.unit


def test_it_says_what_carries_the_match_and_where_it_stands_too() -> None:
    text = (
        "All is planned. The budget is 300.\n[IMAGE: d1_2_1]\nThe rest.\n[IMAGE: d1_2_2]\nFigure 2. The budget by year."
    )
    elsewhere = [{"doc_id": "d2", "source": "/docs/copy.pdf", "title": None, "page": 4}]
    context = {"before": "b", "after": "a", "section": ""}
    meta = {
        "doc_id": "d1", "source": "/docs/plan.pdf", "page": 2, "pages": [2, 3], "image_refs": ["d1_2_1", "d1_2_2"],
        "also_in": elsewhere, "context": context,
    }  # fmt: skip
    documents = [Document(content="x"), Document(content="x"), Document(id="c1", content=text, score=0.5, meta=meta)]
    found = citations(documents, Highlighter({"budget": 1.0, "year": 1.0}))[2]

    assert (found.id, found.title, found.section, found.ranks) == (3, "plan.pdf", "", {"fusion": 3})
    assert found.evidence == "Figure 2. The budget by year."
    assert found.evidence in found.text
    assert found.images == ["d1_2_2", "d1_2_1"]
    written = as_json(found)
    assert (written["also_in"], written["context"]) == (elsewhere, context)
    json.dumps(written, allow_nan=False)


@pytest.mark.parametrize(("word", "page"), [("heron", 4), ("stork", 5), ("crane", 7), ("swan", 4)])
def test_the_page_is_that_of_the_evidence(word: str, page: int) -> None:
    link = "[here](https://www.example.com/" + "a" * 80 + ")"
    content = f"See {link}. The heron fishes.\n\nThe stork nests.\n\nThe crane dances."
    breaks = [content.index("The stork"), content.index("The crane"), content.index("The crane")]
    meta = {"doc_id": "d1", "source": "/birds.pdf", "page": 4, "pages": [4, 7], "page_breaks": breaks}

    assert citations([Document(content=content, meta=meta)], Highlighter({word: 1.0}))[0].page == page


def test_a_forged_mark_names_no_picture() -> None:
    meta = {"doc_id": "d1", "image_refs": ["../../etc/passwd", "d2_1_1", "d1_1_1"]}

    assert citation(1, Document(content="x", meta=meta), "", {}).images == ["d1_1_1"]


def test_only_a_file_that_the_hub_has_fetched_is_shown_by_its_address() -> None:
    kept = str(hub_home() / "downloads" / "notes" / "1" / "page.html")

    def address(source: str) -> object:
        meta = {"doc_id": "d1", "source": source, "url": "https://example.com/birds/"}
        return citation(1, Document(content="x", meta=meta), "", {}).url

    assert address(kept) == "https://example.com/birds/"
    assert address("/docs/page.html") is None
