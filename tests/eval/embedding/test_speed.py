import threading
import time

import numpy as np
import pytest

from khub.eval.embedding import speed as measure_speed
from khub.eval.embedding.speed import chunks_per_second, cold_start, query_time, speed_chunks
from khub.eval.retrieve.beir import Dataset

pytestmark = pytest.mark.unit
ENGLISH = " ".join(f"sentence number {i} about the weather" for i in range(200))
CHINESE = "".join(f"第{i}句话说的是今天的天气，" for i in range(400))


def dataset(*passages, queries=("a", "b")):
    return Dataset("made", dict(enumerate(passages)), dict(enumerate(queries)), {})


class SlowModel:
    """Takes its time in seconds for each text, with or without a processor, and remembers what it was given."""

    def __init__(self, seconds):
        self.seconds, self.calls, self.waiting = seconds, [], threading.Event()

    def encode(self, texts):
        self.calls.append(list(texts))
        self.waiting.wait(self.seconds * len(texts))
        return np.zeros((len(texts), 2))


def test_chunks_are_of_one_language_of_800_characters_and_differ():
    sets = [dataset(ENGLISH, CHINESE), dataset(ENGLISH, CHINESE, ENGLISH)]
    for language, text in (("en", ENGLISH), ("zh", CHINESE)):
        chunks = speed_chunks(sets, language)
        assert {len(chunk) for chunk in chunks} == {800}
        assert "".join(chunks) == text[: 800 * len(chunks)]
        assert len(set(chunks)) == len(chunks) == len(text) // 800
    assert speed_chunks([dataset(ENGLISH)], "zh") == []


def test_chunks_are_limited():
    many = dataset(" ".join(map(str, range(150_000))) + " words of English text" * 50_000)
    assert len(speed_chunks([many], "en")) == 512


def test_speed_is_by_wall_time(monkeypatch):
    monkeypatch.setattr(measure_speed, "ENCODE_SECONDS", 0.1)
    model = SlowModel(0.005)
    speed = chunks_per_second(model, [f"chunk {i}" for i in range(10)])
    assert 50 < speed <= 200  # 200 without anything else; process time would say tens of thousands
    assert len(model.calls) > 2
    assert all(len(call) == 10 for call in model.calls[1:])
    assert chunks_per_second(model, []) is None


def test_query_times_are_milliseconds_of_single_queries():
    model = SlowModel(0)
    slow = {"slow"}
    model.encode = lambda texts: time.sleep(0.02 if set(texts) & slow else 0)
    found = query_time(model, [dataset(queries=["fast"] * 9 + ["slow"])])
    assert found.median < 10
    assert found.p95 > 15


def test_queries_come_from_all_sets(monkeypatch):
    monkeypatch.setattr(measure_speed, "QUERIES", 4)
    model = SlowModel(0)
    query_time(model, [dataset(queries=list("abcd")), dataset(queries=list("wxyz"))])
    assert [call[0] for call in model.calls] == list("acwy") * 3
    assert all(len(call) == 1 for call in model.calls)


def test_cold_start_of_a_new_process():
    found = cold_start("khub-fast", 1)
    assert 0.02 < found.seconds < 30
    assert found.torch is False
