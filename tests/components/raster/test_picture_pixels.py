import io
from typing import Any

import pytest
from PIL import Image

from khub.components.raster import picture_pixels
from khub.components.raster.picture_pixels import pixels_of

pytestmark = pytest.mark.unit


def encoded(image: Image.Image, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def test_blue_comes_first_and_transparency_is_white() -> None:
    image = Image.new("RGBA", (800, 800), (255, 0, 0, 255))
    image.putpixel((799, 799), (0, 0, 0, 0))
    pixels = pixels_of(encoded(image), 1600)
    assert pixels.shape == (800, 800, 3)
    assert pixels[0, 0].tolist() == [0, 0, 255]
    assert pixels[-1, -1].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    ("mode", "black", "grey"),
    [
        ("L", 0, 128),
        ("RGB", (0, 0, 0), (128, 128, 128)),
        ("P", 0, 128),
        ("LA", (0, 255), (128, 255)),
        ("I;16", 0, 32768),
    ],
)
def test_shades_of_any_mode_are_kept(mode: str, black: Any, grey: Any) -> None:
    image = Image.new(mode, (800, 740), grey)
    if mode == "P":
        image.putpalette([shade for index in range(256) for shade in (index, index, index)])
    image.putpixel((0, 0), black)
    pixels = pixels_of(encoded(image), 800)
    assert pixels.shape == (740, 800, 3)
    assert pixels[0, 0].tolist() == [0, 0, 0]
    assert pixels[-1, -1].tolist() == [128, 128, 128]


@pytest.mark.parametrize(("mode", "kind"), [("1", "PNG"), ("CMYK", "JPEG"), ("L", "JPEG")])
def test_other_kinds_are_read(mode: str, kind: str) -> None:
    assert pixels_of(encoded(Image.new(mode, (800, 740)), kind), 800).shape == (740, 800, 3)


def test_huge_picture_is_reduced_and_small_one_enlarged() -> None:
    assert max(pixels_of(encoded(Image.new("L", (6000, 900))), 1600).shape) == 4096
    assert pixels_of(encoded(Image.new("L", (400, 300))), 1600).shape == (736, 981, 3)


def test_too_many_pixels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_pixels, "_MOST_PIXELS", 99)
    with pytest.raises(ValueError, match="10 x 10 pixels"):
        pixels_of(encoded(Image.new("L", (10, 10))), 1600)


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(OSError, match="cannot identify"):
        pixels_of(b"%PDF-1.7", 1600)
