import pytest

from khub.components.converters.speech.speech_cache import SpeechCache

pytestmark = pytest.mark.unit


def test_windows_come_back_in_order_until_one_is_missing():
    cache = SpeechCache("model 300 1")
    for number in (1, 0, 3):
        cache.put("abc", number, {"number": number})
    assert [window["number"] for window in cache.get("abc")] == [0, 1]


def test_another_file_and_another_model_have_their_own():
    SpeechCache("one").put("abc", 0, {"text": "水泵"})
    assert SpeechCache("one").get("abc") == [{"text": "水泵"}]
    assert SpeechCache("two").get("abc") == SpeechCache("one").get("abd") == []


def test_a_damaged_cache_costs_time_alone(caplog):
    cache = SpeechCache("one")
    cache.path.parent.mkdir(parents=True)
    cache.path.write_bytes(b"no database at all" * 100)
    cache.put("abc", 0, {})
    assert cache.get("abc") == []
    assert "speech.sqlite3" in caplog.text
