"""Pages are drawn with the passage marked, and pictures are sent, to who may see them."""

from pathlib import Path

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.server.library.ingest import ingest
from khub.server.reads.hub_reads import catalog_of_hub, reader

pytestmark = pytest.mark.integration

SAMPLES = Path(__file__).parents[3] / "eval" / "samples"
PNG = b"\x89PNG"


@pytest.fixture
def paper(hub, serving):
    (pdf,) = sorted(SAMPLES.rglob("*.pdf"))[:1]
    assert not ingest([str(pdf)], "papers").failed
    (row,) = reader().documents("papers", 0, 10)
    with serving() as client:
        yield client, row, reader().chunks_of_section(row["doc_id"], "")


def test_a_page_is_drawn_with_its_passage_marked(paper):
    client, row, chunks = paper
    address = f"/pages/{row['doc_id']}/1.png"
    plain = client.get(address)
    assert (plain.status_code, plain.headers["content-type"]) == (200, "image/png")
    assert plain.content.startswith(PNG)
    assert plain.headers["x-highlight"] == "none"
    on_first = next(chunk for chunk in chunks if any(box[0] == 1 for box in chunk.meta.get("boxes") or ()))
    marked = client.get(address, params={"highlight": on_first.id})
    assert marked.headers["x-highlight"] == "marked"
    assert marked.content != plain.content
    assert "private" in marked.headers["cache-control"]
    known = client.get(address, headers={"If-None-Match": plain.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_what_is_not_there_or_closed_is_not_shown(paper, monkeypatch):
    client, row, _ = paper
    doc_id = row["doc_id"]
    assert client.get(f"/pages/{doc_id}/0.png").status_code == 422
    assert client.get(f"/pages/{doc_id}/9999.png").status_code == 404
    assert client.get("/pages/none/1.png").status_code == 404
    assert client.get("/images/none").status_code == 404
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert client.get(f"/pages/{doc_id}/1.png").status_code == 404


def test_a_picture_is_sent(hub, serving, tmp_path):
    from PIL import Image

    Image.new("RGB", (300, 200), "red").save(tmp_path / "red.png")
    (tmp_path / "page.md").write_text("# Page\n\nA red picture: ![red](red.png)\n\nMore text about red.\n")
    assert not ingest([str(tmp_path / "page.md")], "pictures").failed
    (row,) = reader().documents("pictures", 0, 10)
    ids = catalog_of_hub().images.opened(row["doc_id"])
    if not ids:
        pytest.skip("this graph keeps no pictures of Markdown files")
    with serving() as client:
        reply = client.get(f"/images/{ids[0]}")
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
        assert reply.content.startswith(PNG)
    with calling_as(Caller("x", collections=frozenset({"other"}))):
        assert not catalog_of_hub().images.get(ids)
