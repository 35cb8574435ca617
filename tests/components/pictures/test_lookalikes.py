"""Pictures are recognised by a part of them, and by nobody who may not see them."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.deletion import delete_documents
from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.errors import QueryError
from khub.components.pictures.lookalikes import lookalikes
from khub.components.pictures.print_index import PrintIndex
from khub.components.pictures.print_match import matches
from khub.components.raster.picture_print import example_of, picture_print
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def chart(number: int, size: tuple[int, int] = (400, 300)) -> Image.Image:
    """A bar chart; each number has other data in the same frame."""
    chance = np.random.default_rng(number)
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.line([(40, 20), (40, 260), (380, 260)], fill="black", width=2)
    for bar in range(8):
        left = 55 + 40 * bar
        draw.rectangle([left, 260 - int(chance.integers(10, 230)), left + 25, 260], fill="#1f77b4")
    return image


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def jpeg(image: Image.Image, quality: int = 30) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()


@pytest.fixture
def catalog() -> Catalog:
    catalog = open_catalog()
    for name in ("library", "archive"):
        catalog.collections.create(name)
    return catalog


@pytest.fixture
def add(catalog: Catalog) -> Callable[..., list[str]]:
    """Add a document with pictures, as an ingest does; return their ids."""

    def add(doc_id: str, files: list[bytes], collection: str = "library") -> list[str]:
        with catalog.database.transaction() as connection:
            connection.execute(
                "INSERT INTO documents (doc_id, collection, source, status, updated_at) VALUES (?, ?, ?, 'ready', '')",
                (doc_id, collection, f"/{doc_id}"),
            )
        pictures = [Picture(1, n, None, 400, 300, "image/png", data, "raster") for n, data in enumerate(files, 1)]
        named = [DocumentPicture(f"{doc_id}_1_{one.seq}", doc_id, f"/{doc_id}", one) for one in pictures]
        catalog.images.stage(doc_id, named)
        with catalog.database.transaction() as connection:
            connection.execute("UPDATE documents SET version = version + 1 WHERE doc_id = ?", (doc_id,))
            connection.execute("UPDATE collections SET commits = commits + 1 WHERE name = ?", (collection,))
        return [one.image_id for one in named]

    return add


def found(catalog: Catalog, example: bytes, collection: str = "library") -> list[str]:
    return [picture["image_id"] for picture in lookalikes(catalog, collection, example, 5)[0]]


@pytest.mark.parametrize(
    "changed",
    [
        png,
        lambda image: png(image.crop((60, 50, 400, 300))),
        lambda image: png(image.resize((180, 135))),
        jpeg,
        lambda image: jpeg(image.crop((0, 40, 330, 280)).resize((500, 364))),
    ],
)
def test_the_right_one_of_many_that_look_alike_comes_first(catalog, add, changed):
    charts = [chart(number) for number in range(12)]
    ids = add("d", [png(one) for one in charts])
    for number in (0, 5, 11):
        assert found(catalog, changed(charts[number]))[0] == ids[number]


def test_a_transparent_picture_is_seen_on_white(catalog, add):
    drawn = chart(1)
    clear = drawn.convert("RGBA")
    clear.putalpha(drawn.convert("L").point(lambda grey: 0 if grey == 255 else 255))
    (image_id,) = add("d", [png(clear)])
    assert found(catalog, jpeg(drawn)) == [image_id]


def test_a_change_of_another_process_is_seen(catalog, add):
    add("a", [png(chart(1))])
    assert found(catalog, png(chart(2)))[:1] != ["b_1_1"]
    add("b", [png(chart(2))])
    assert found(catalog, png(chart(2)))[0] == "b_1_1"
    with catalog.database.transaction() as connection:
        delete_documents(connection, "d.doc_id = ?", ("b",))
    assert "b_1_1" not in found(catalog, png(chart(2)))


def test_pictures_from_before_get_their_prints_at_the_first_question(catalog, add):
    ids = add("d", [png(chart(number)) for number in range(3)])
    with catalog.database.transaction() as connection:
        connection.execute("DELETE FROM picture_prints")
    assert found(catalog, png(chart(2)))[0] == ids[2]
    assert catalog.picture_prints.missing("library", 5) == (0, [])


def test_a_file_that_has_gone_or_is_none_is_asked_for_once(catalog, add):
    (broken, gone, whole) = add("d", [b"\x89PNG cut", png(chart(1)), png(chart(2))])
    rows = catalog.images.get([gone])
    Path(rows[gone]["path"]).unlink()
    with catalog.database.transaction() as connection:
        connection.execute("DELETE FROM picture_prints")
    assert found(catalog, png(chart(2)))[0] == whole
    assert broken not in found(catalog, png(chart(2)))
    assert catalog.picture_prints.missing("library", 5)[0] == 0


def test_what_is_not_open_is_not_found(catalog, add, monkeypatch):
    add("secret", [png(chart(1))], collection="archive")
    add("open", [png(chart(2))])
    assert "secret_1_1" not in found(catalog, png(chart(1)))
    with calling_as(Caller("x", collections=frozenset({"library"}))):
        assert found(catalog, png(chart(1)), "archive") == []
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert found(catalog, png(chart(1)), "archive") == []


def test_prints_go_with_the_last_document(catalog, add):
    add("a", [png(chart(1))])
    add("b", [png(chart(1)), png(chart(2))])
    with catalog.database.transaction() as connection:
        delete_documents(connection, "d.doc_id = ?", ("a",))
    catalog.images.drop_unused()
    assert catalog.database.row("SELECT COUNT(*) FROM picture_prints")[0] == 2
    with catalog.database.transaction() as connection:
        delete_documents(connection, "d.doc_id = ?", ("b",))
    catalog.images.drop_unused()
    assert catalog.database.row("SELECT COUNT(*) FROM picture_prints")[0] == 0


@pytest.mark.parametrize("data", [b"", b"no picture", b"%!PS-Adobe-3.0 EPSF-3.0\n"])
def test_what_is_no_picture_is_refused(catalog, add, data):
    add("d", [png(chart(1))])
    with raises_code("query_invalid", "PNG"):
        lookalikes(catalog, "library", data, 5)


def test_a_plain_example_looks_like_nothing(catalog, add):
    add("d", [png(chart(1)), png(Image.new("RGB", (400, 300), "white"))])
    assert found(catalog, png(Image.new("RGB", (200, 100), "white"))) == []


def test_an_empty_collection_has_nothing(catalog):
    assert lookalikes(catalog, "library", png(chart(1)), 5) == ([], 0)


def test_a_match_is_best_for_the_picture_itself():
    one, other = png(chart(1)), png(chart(2))
    prints = {"one": (picture_print(one), 4 / 3), "other": (picture_print(other), 4 / 3)}
    example = example_of(one)
    scores = matches(example, prints)
    assert scores["one"] == pytest.approx(1, abs=0.01)
    assert scores["other"] < scores["one"]
    assert PrintIndex(["one", "other"], [prints["one"][0], prints["other"][0]]).likely(example) == ["one", "other"]


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_an_example_that_unpacks_to_much_more_is_refused(catalog, add, kind):
    add("one", [png(chart(1))])
    file = io.BytesIO()
    Image.new("L", (5000, 4000)).save(file, kind)
    assert len(file.getvalue()) < 100_000
    with pytest.raises(QueryError, match="too large"):
        lookalikes(catalog, "library", file.getvalue(), 5)


def test_a_large_photo_is_an_example(catalog, add):
    (image_id,) = add("one", [png(chart(1))])
    assert found(catalog, jpeg(chart(1).resize((5000, 3750)))) == [image_id]
