import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.ocr.ocr_cache import OcrCache
from khub.components.ocr.text_line import ReadPicture
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit

READ = ReadPicture(600, 800, 90, [line("密封圈 O-ring", 1, 2, 300, score=0.875)])


def test_what_was_read_comes_back() -> None:
    OcrCache("model 1").put("a" * 64, READ)
    assert OcrCache("model 1").get("a" * 64) == READ
    assert OcrCache("model 1").get("b" * 64) is None
    assert OcrCache("model 2").get("a" * 64) is None


def test_many_writers_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: OcrCache("m").put(str(number), READ), range(40)))
    assert all(OcrCache("m").get(str(number)) == READ for number in range(40))


def test_damaged_cache_is_told_and_costs_only_time(caplog: pytest.LogCaptureFixture) -> None:
    cache = OcrCache("m")
    cache.path.parent.mkdir(parents=True)
    cache.path.write_bytes(b"no database" * 100)
    with caplog.at_level(logging.WARNING):
        assert cache.get("a") is None
        cache.put("a", READ)
    assert "ocr.sqlite3 cannot be used" in caplog.text
