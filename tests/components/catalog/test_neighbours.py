import pytest

from khub.components.catalog.neighbours import neighbours

pytestmark = pytest.mark.integration


def test_the_chunks_next_to_a_place_in_reading_order(library) -> None:
    plan = library.add("/docs/plan.md", [f"Text number {n}." for n in range(6)])
    library.add("/docs/other.md", ["Another text."])
    doc_id = plan[0].meta["doc_id"]

    found = neighbours(library.catalog, "books", [(doc_id, 3), (doc_id, 0), ("none", 1)], 1)

    assert [chunk.content for chunk in found[doc_id, 3]] == [f"Text number {n}." for n in (2, 3, 4)]
    assert [chunk.content for chunk in found[doc_id, 0]] == ["Text number 0.", "Text number 1."]
    assert found["none", 1] == []
    assert len(neighbours(library.catalog, "books", [(doc_id, 3)], 2)[doc_id, 3]) == 5
    assert neighbours(library.catalog, "elsewhere", [(doc_id, 3)], 1)[doc_id, 3] == []
