"""Picture files become documents: upright, bounded, and without the place at which they were taken."""

import base64
import io
import struct
import zlib

import pytest
from PIL import ExifTags, Image

from khub.components.converters import image_converter
from khub.components.converters.conversion import build_markitdown, convert_bytes
from khub.components.errors import SourceError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

GPS = ExifTags.IFD.GPSInfo


@pytest.fixture(scope="module")
def markitdown():
    return build_markitdown()


@pytest.fixture
def convert(markitdown):
    return lambda data, name: convert_bytes(markitdown, data, name, 200)


def picture(size=(80, 60), mode="RGB", kind="PNG", colour=None, **options) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, colour or 0).save(out, kind, **options)
    return out.getvalue()


def opened(page) -> Image.Image:
    image = Image.open(io.BytesIO(base64.b64decode(page["data"])))
    assert image.size == (page["width"], page["height"])
    assert f"image/{(image.format or '').lower()}" == page["mime"]
    return image


def camera_exif(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    exif[ExifTags.Base.DateTime] = "2024:01:02 03:04:05"
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.DateTimeOriginal] = "2023:05:06 07:08:09"
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.OffsetTimeOriginal] = "+08:00"
    exif.get_ifd(GPS)[ExifTags.GPS.GPSLatitudeRef] = "N"
    exif.get_ifd(GPS)[ExifTags.GPS.GPSLatitude] = (31.0, 13.0, 49.0)
    return exif


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_a_picture_is_a_page_that_waits_for_ocr(convert, kind):
    read = convert(picture(kind=kind), f"a.{kind.lower()}")
    (page,) = read["pictures"]
    assert (page["kind"], page["page"], page["seq"]) == ("file", 1, 1)
    assert opened(page).size == (80, 60)
    assert (read["text"], read["needs_ocr"], read["page_count"]) == ("[IMAGE: 1@1]", [1], 1)
    assert read["title"] is None
    assert "metadata" not in read


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_plain_file_is_kept_as_it_is(convert, kind):
    data = picture(kind=kind)
    assert base64.b64decode(convert(data, "a.png")["pictures"][0]["data"]) == data


@pytest.mark.parametrize(("orientation", "size"), [(1, (80, 60)), (6, (60, 80)), (3, (80, 60))])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_photo_stands_upright_with_its_time_and_without_its_place(convert, kind, orientation, size):
    made = Image.new("RGB", (80, 60), "white")
    made.paste("red", (0, 0, 40, 30))
    out = io.BytesIO()
    made.save(out, kind, exif=camera_exif(orientation))
    read = convert(out.getvalue(), f"a.{kind.lower()}")
    shown = opened(read["pictures"][0])
    assert shown.size == size
    corner = {1: (5, 5), 6: (size[0] - 5, 5), 3: (size[0] - 5, size[1] - 5)}[orientation]
    red, green, _ = shown.convert("RGB").getpixel(corner)
    assert red > 200
    assert green < 60
    assert read["metadata"] == {"created": "2023-05-06T07:08:09+08:00"}
    assert not dict(shown.getexif())
    assert "xmp" not in shown.info


def test_each_page_of_a_tiff_is_a_page(convert):
    pages = [Image.new(mode, (80, 60 + number)) for number, mode in enumerate(("1", "L", "RGB"))]
    out = io.BytesIO()
    pages[0].save(out, "TIFF", save_all=True, append_images=pages[1:])
    read = convert(out.getvalue(), "fax.tif")
    assert [(one["page"], opened(one).height) for one in read["pictures"]] == [(1, 60), (2, 61), (3, 62)]
    assert [one["mime"] for one in read["pictures"]] == ["image/png", "image/jpeg", "image/jpeg"]
    assert (read["needs_ocr"], len(read["page_starts"])) == ([1, 2, 3], 3)


def test_of_what_moves_the_first_picture_is_taken(convert):
    out = io.BytesIO()
    Image.new("RGB", (80, 60), "red").save(
        out, "GIF", save_all=True, append_images=[Image.new("RGB", (80, 60), "blue")], duration=50
    )
    (page,) = convert(out.getvalue(), "a.gif")["pictures"]
    assert opened(page).convert("RGB").getpixel((5, 5)) == (255, 0, 0)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_huge_picture_is_scaled_down(convert, kind, mode):
    (page,) = convert(picture((5000, 100), mode, kind), "a.png")["pictures"]
    assert opened(page).width == 4096


def test_the_shades_of_sixteen_bits_stay_apart(convert):
    made = Image.new("I;16", (80, 60), 60_000)
    made.paste(20_000, (0, 0, 40, 60))
    out = io.BytesIO()
    made.save(out, "TIFF")
    shown = opened(convert(out.getvalue(), "a.tif")["pictures"][0]).convert("L")
    assert shown.getpixel((70, 30)) - shown.getpixel((5, 30)) > 100


@pytest.mark.parametrize(("mode", "kind"), [("CMYK", "JPEG"), ("P", "GIF"), ("LA", "PNG"), ("RGBA", "WEBP")])
def test_colours_of_any_kind_become_what_can_be_shown(convert, mode, kind):
    (page,) = convert(picture(mode=mode, kind=kind), "a.png")["pictures"]
    assert opened(page).mode in {"L", "LA", "P", "RGB", "RGBA"}


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"no picture at all", "no picture of a known format"),
        (picture(size=(300, 300))[:-40], "damaged"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no picture of a known format"),
    ],
)
def test_what_is_no_whole_picture_is_told(convert, data, error):
    with pytest.raises(SourceError, match=error) as caught:
        convert(data, "a.png")
    assert "'a.png'" in caught.value.message
    assert caught.value.remedy


def test_a_bomb_is_refused_before_it_is_unpacked(convert, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(SourceError, match="million pixels"):
        convert(picture(), "a.png")


def test_pages_are_bounded(convert, monkeypatch):
    monkeypatch.setattr(image_converter, "_MOST_PAGES", 1)
    out = io.BytesIO()
    Image.new("L", (80, 60)).save(out, "TIFF", save_all=True, append_images=[Image.new("L", (80, 60))])
    with raises_code("source_too_large", "2 pages"):
        convert(out.getvalue(), "a.tif")


def test_without_pictures_it_counts_as_scanned(markitdown):
    with pytest.raises(SourceError, match="is scanned"):
        convert_bytes(markitdown, picture(), "a.png", 200, pictures=False)


@pytest.mark.parametrize("written", ["0000:00:00 00:00:00", "", "yesterday"])
def test_a_time_that_is_none_is_left_out(convert, written):
    exif = Image.Exif()
    exif[ExifTags.Base.DateTime] = written
    assert "metadata" not in convert(picture(kind="JPEG", exif=exif), "a.jpg")


def block(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_words() -> list[tuple[str, bytes]]:
    """Pictures that name a place outside of what cameras write first."""
    png, jpeg = picture(), picture(kind="JPEG")
    iptc = b"Photoshop 3.0\x008BIM\x04\x04\0\0" + struct.pack(">I", 17) + b"\x1c\x02\x5a\x00\x0cBerlin Mitte\0"
    behind = Image.Exif()
    behind[ExifTags.Base.ImageDescription] = "Berlin Mitte"
    return [
        ("PNG text", png[:-12] + block(b"tEXt", b"Comment\0Berlin Mitte") + png[-12:]),
        ("PNG behind its pixels", png[:-12] + block(b"eXIf", behind.tobytes()) + png[-12:]),
        ("JPEG comment", picture(kind="JPEG", comment=b"Berlin Mitte")),
        ("JPEG caption", jpeg[:2] + b"\xff\xed" + struct.pack(">H", len(iptc) + 2) + iptc + jpeg[2:]),
    ]


@pytest.mark.parametrize(("kind", "data"), with_words())
def test_no_words_beside_the_pixels_are_kept(convert, kind, data):
    assert b"Berlin" in data
    (page,) = convert(data, f"a.{kind.split()[0].lower()}")["pictures"]
    assert b"Berlin" not in base64.b64decode(page["data"])


def test_a_sound_picture_with_damaged_tags_is_read(convert):
    png = picture()
    (page,) = convert(png[:33] + block(b"eXIf", b"nothing") + png[33:], "a.png")["pictures"]
    assert opened(page).size == (80, 60)
