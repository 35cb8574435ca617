"""Texts through a real ONNX graph: windows, independence of neighbours and threads, fingerprints."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import ROWS, graph, ids_of, mean_of, word_tokenizer, write_model

from khub.components.embedders.onnx_model import OnnxModel
from khub.components.errors import KhubError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
WORDS = ["the", "heron", "wades", "swift", "sleeps", "tern", "dives"]
TEXTS = [" ".join(WORDS[(i * k) % 7] for k in range(i % 23)) + (" 苍鹭在水中" if i % 3 else "") for i in range(120)]


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> OnnxModel:
    return OnnxModel(write_model(tmp_path_factory.mktemp("plain")))


@pytest.fixture(scope="session")
def quantised_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("quantised"), quantised=True)


def test_quantised_graph_would_mix_a_batch(quantised_folder: Path):
    """The reason why windows run alone: were this not so, the next tests could not fail."""
    session = OnnxModel(quantised_folder)._graph._session
    rows = np.array([[2, 6, 7, 3], [2, 10, 11, 3]])
    one, both = (session.run(None, {"input_ids": r, "attention_mask": np.ones_like(r)})[0] for r in (rows[:1], rows))
    assert not np.array_equal(one[0], both[0])


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_vector_depends_neither_on_its_neighbours_nor_on_threads(quantised_folder: Path, threads: int):
    model = OnnxModel(quantised_folder, threads)
    alone = np.vstack([OnnxModel(quantised_folder, 1).encode([text]) for text in TEXTS[:12]])
    together = model.encode(TEXTS)
    assert np.array_equal(together[:12], alone)
    assert np.array_equal(model.encode(TEXTS[::-1])[::-1], together)
    assert np.array_equal(model.encode(TEXTS + TEXTS[:3]), np.vstack([together, together[:3]]))


def running_at_once(model: OnnxModel, monkeypatch: pytest.MonkeyPatch, parties: int) -> bool:
    """Say whether so many windows are computed at the same time: each waits for the others."""
    barrier, embed, met = threading.Barrier(parties), model._graph.embed, []

    def wait(ids: np.ndarray) -> np.ndarray:
        try:
            barrier.wait(timeout=5 if parties == model._threads else 0.2)
            met.append(True)
        except threading.BrokenBarrierError:
            pass
        return embed(ids)

    monkeypatch.setattr(model._graph, "embed", wait)
    model.encode([f"{a} {b}" for a in WORDS[: parties - 1] for b in WORDS[:parties]])
    return bool(met)


@pytest.mark.parametrize(("threads", "parties", "met"), [(3, 3, True), (2, 3, False), (2, 2, True), (1, 2, False)])
def test_threads_is_how_many_windows_run_at_once(plain, tmp_path, monkeypatch, threads, parties, met):
    model = OnnxModel(write_model(tmp_path), threads)
    assert running_at_once(model, monkeypatch, parties) is met


def test_no_threads_given_means_all_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("khub.components.embedders.onnx_model.available_cores", lambda: 5)
    assert running_at_once(OnnxModel(write_model(tmp_path)), monkeypatch, 5)


def test_one_window_runs_in_the_callers_thread(plain: OnnxModel, monkeypatch: pytest.MonkeyPatch):
    def no_thread(*_: object) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    assert plain.encode(["the heron"]).shape == (1, 8)
    assert plain.encode(["the heron", "the heron"]).shape == (2, 8)  # computed once


def test_windows_are_averaged_by_their_tokens_at_unit_length(plain: OnnxModel):
    """Max 6 tokens leave 4 in a window: 9 tokens make 3 + 3 + 3, and 7 make 4 + 3, not a full one and a crumb."""
    words = ["the", "heron", "wades", "swift", "sleeps", "tern", "dives", "a", "b"]
    nine = sum(mean_of(*words[i : i + 3]) for i in (0, 3, 6))
    seven = 4 * mean_of(*words[:4]) + 3 * mean_of(*words[4:7])
    five = 3 * mean_of(*words[:3]) + 2 * mean_of(*words[3:5])
    for count, expected in ((9, nine), (7, seven), (5, five), (4, mean_of(*words[:4]))):
        vector = plain.encode([" ".join(words[:count])])[0]
        np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\x00"])
def test_text_without_tokens_gets_the_vector_of_the_special_ones(plain: OnnxModel, text: str):
    np.testing.assert_allclose(plain.encode([text])[0], mean_of(), atol=1e-6)


def test_long_text_counts_to_its_end(tmp_path: Path):
    model = OnnxModel(write_model(tmp_path, config={"max_tokens": 512}))
    vector = model.encode(["the heron wades " * 30_000 + "tern dives " * 45_000])[0]  # 90,000 tokens each
    halves = [ROWS[ids_of(*words)].mean(axis=0) for words in (["the", "heron", "wades"], ["tern", "dives"])]
    expected = sum(half / np.linalg.norm(half) for half in halves)
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=0.02)  # special tokens count a little


@pytest.mark.parametrize("texts", ["the heron", ["the", None], [b"the"], [["the"]], [1]])
def test_what_is_no_list_of_strings_is_refused(plain: OnnxModel, texts: list):
    with raises_code("embedding_failed", "list of strings"):
        plain.encode(texts)


def test_threads_share_a_model(quantised_folder: Path):
    model = OnnxModel(quantised_folder, 3)
    expected, results = model.encode(TEXTS), []
    threads = [threading.Thread(target=lambda: results.append(model.encode(TEXTS))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert all(np.array_equal(result, expected) for result in results)


def test_failure_in_one_window_is_raised(tmp_path: Path):
    rows = ROWS.copy()
    rows[7] = np.inf
    with pytest.raises(KhubError, match="not finite"):
        OnnxModel(write_model(tmp_path, rows=rows), 3).encode([*WORDS, "heron wades"])


@pytest.mark.parametrize(
    ("config", "truncation", "windows"),
    [({}, None, 4), ({"max_tokens": 12}, 4, 1), ({"max_tokens": None}, None, 1), ({"max_tokens": None}, 5, 4)],
)
def test_max_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: dict, truncation: int, windows: int):
    write_model(tmp_path, config={"max_tokens": 5, **config})
    word_tokenizer(truncation).save(str(tmp_path / "tokenizer.json"))
    model, lengths = OnnxModel(tmp_path, 1), []
    embed = model._graph.embed
    monkeypatch.setattr(model._graph, "embed", lambda ids: lengths.append(len(ids)) or embed(ids))
    model.encode(["a b c a b c a b c a"])
    assert len(lengths) == windows
    assert sum(lengths) == 10 + 2 * windows


def test_default_window(tmp_path: Path):
    model = OnnxModel(write_model(tmp_path, config={"max_tokens": None}))
    assert [len(window) for window in model._windows(np.zeros(255))] == [128, 127]


def test_properties(plain: OnnxModel, tmp_path: Path):
    assert plain.languages == ("en", "zh")
    assert plain.dimension == 8
    assert len(plain.fingerprint) == 16
    assert int(plain.fingerprint, 16) > 0
    assert plain.fingerprint == OnnxModel(write_model(tmp_path, config={"languages": []}), 3).fingerprint
    assert OnnxModel(tmp_path).languages == ()


def change_config(folder: Path, **settings) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **settings}), encoding="utf-8")


CHANGES = {
    "graph": lambda folder: (folder / "model.onnx").write_bytes(graph(rows=ROWS * 2)),
    "weights beside it": lambda folder: (folder / "model.onnx_data").write_bytes(b"1"),
    "tokenizer": lambda folder: word_tokenizer(truncation=9).save(str(folder / "tokenizer.json")),
    "pooling": lambda folder: (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}'),
    "max_tokens": lambda folder: change_config(folder, max_tokens=7),
    "query_prefix": lambda folder: change_config(folder, query_prefix="query: "),
    "passage_prefix": lambda folder: change_config(folder, passage_prefix="query: "),
}


@pytest.mark.parametrize("change", CHANGES)
def test_fingerprint_follows_all_that_decides_a_vector(tmp_path: Path, change: str):
    write_model(tmp_path, pooling={"pooling_mode": "mean"})
    before = OnnxModel(tmp_path).fingerprint
    CHANGES[change](tmp_path)
    assert OnnxModel(tmp_path).fingerprint != before


@pytest.mark.parametrize("name", ["README.md", "model.onnx.bak", "1_Pooling/config.json"])
def test_fingerprint_does_not_follow_what_does_not(tmp_path: Path, name: str):
    before = OnnxModel(write_model(tmp_path, outputs=("sentence_embedding",))).fingerprint
    (tmp_path / name).write_text("{}", encoding="utf-8")
    assert OnnxModel(tmp_path).fingerprint == before


@pytest.mark.parametrize(
    ("name", "content"),
    [(name, content) for name in ("tokenizer.json", "config.json", "model.onnx") for content in (None, b"", b"\xff[")]
    + [("1_Pooling/config.json", b"[]")],
)
def test_missing_or_damaged_file_is_named_with_a_remedy(tmp_path: Path, name: str, content: bytes | None):
    path = write_model(tmp_path) / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with raises_code("model_damaged", path, "copy the whole"):
        OnnxModel(tmp_path)


def test_graph_with_too_few_rows_is_refused(tmp_path: Path):
    write_model(tmp_path, rows=ROWS[:-1])
    with raises_code("model_damaged", "model.onnx", "tokenizer"):
        OnnxModel(tmp_path)


@pytest.mark.parametrize(
    "config",
    [
        {"max_tokens": 2},
        {"max_tokens": "9"},
        {"max_tokens": -1},
        {"languages": "en"},
        {"query_prefix": 1},
        {"passage_prefix": None},
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path: Path, config: dict):
    with pytest.raises(KhubError, match=rf"config\.json is damaged .*{next(iter(config))}"):
        OnnxModel(write_model(tmp_path, config=config))
