"""RapidOCR itself, on pages that are drawn here."""

import io
import logging
import socket
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.ocr import text_engine
from khub.components.ocr.ocr_reader import OcrReader
from khub.components.ocr.text_engine import TextEngine, engine_fingerprint
from tests.components.ocr.scans import paged

pytestmark = pytest.mark.integration

CHINESE_FONTS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSerifCJK-Regular.ttc",
    "NotoSerifCJK-Bold.ttc",
    "wqy-microhei.ttc",
    "PingFang.ttc",
    "STHeiti Light.ttc",
    "msyh.ttc",
    "simsun.ttc",
)
ENGLISH = ["Maintenance of the pump", "Replace the sealing ring every 400 hours", "Order number QX-7731"]
CHINESE = ["水泵维护记录", "密封圈每四百小时更换一次", "负责人：何晚舟"]


@pytest.fixture
def rapidocr() -> None:
    pytest.importorskip("rapidocr", reason="RapidOCR is not installed: pip install 'knowledge-hub[ocr]'")


def chinese_font(size: int) -> ImageFont.FreeTypeFont:
    for name in CHINESE_FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    pytest.skip(f"none of the Chinese fonts {', '.join(CHINESE_FONTS)} is installed")


def scan_of(texts: list[str], font: Any, turned: int = 0) -> DocumentPicture:
    image = Image.new("RGB", (800, 1000), "white")
    draw = ImageDraw.Draw(image)
    for row, text in enumerate(texts):
        draw.text((60, 80 + 90 * row), text, font=font, fill="black")
    image = image.rotate(-turned, expand=True, fillcolor="white")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    box = (0.0, 0.0, image.width / 2, image.height / 2)
    picture = Picture(1, 1, box, image.width, image.height, "image/png", stream.getvalue(), "page")
    return DocumentPicture("doc_1_1", "doc", "/files/doc.pdf", picture)


def read(picture: DocumentPicture, **parameters: Any) -> str:
    result = OcrReader(**parameters).run([paged([""], [1])], [picture])
    assert result["failed"] == []
    return result["documents"][0].content


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_english_page_is_read_however_it_is_turned(rapidocr: None, turned: int) -> None:
    text = " ".join(read(scan_of(ENGLISH, ImageFont.load_default(36), turned)).split())
    assert all(words in text for words in ENGLISH)


def test_chinese_page_is_read(rapidocr: None) -> None:
    text = read(scan_of(CHINESE, chinese_font(36)))
    assert "水泵维护记录" in text
    assert "密封圈每四百小时更换一次" in text
    assert "何晚舟" in text


def test_reading_neither_fetches_nor_writes_nor_talks(
    rapidocr: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refused(*args: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.chdir(tmp_path)
    models = {path: path.stat().st_mtime_ns for path in text_engine._models_folder().iterdir()}

    assert "sealing ring" in read(scan_of(ENGLISH, ImageFont.load_default(36)))

    assert {path: path.stat().st_mtime_ns for path in text_engine._models_folder().iterdir()} == models
    assert {path.name for path in tmp_path.iterdir()} == {"hub"}
    out, err = capfd.readouterr()
    assert out == ""
    assert "RapidOCR" not in err
    assert not logging.getLogger("RapidOCR").isEnabledFor(logging.WARNING)


def test_parameters_reach_the_engine(rapidocr: None) -> None:
    for side, threads in ((800, 1), (1600, 0)):
        engine = TextEngine(side, threads)
        detector = engine._ocr._load_det_model()
        assert detector.limit_side_len == side
        assert detector.session.session.get_session_options().intra_op_num_threads == threads


def test_threads_of_the_reader_reach_the_engine(rapidocr: None) -> None:
    reader = OcrReader(threads=1)
    reader.run([paged([""], [1])], [scan_of(ENGLISH, ImageFont.load_default(36))])
    assert reader._reader is not None
    engine: Any = reader._reader._engine
    assert engine._ocr.text_rec.session.session.get_session_options().intra_op_num_threads == 1


def test_fingerprint_names_version_and_models(rapidocr: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = engine_fingerprint()
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.0")
    assert engine_fingerprint() not in {before, "none"}
