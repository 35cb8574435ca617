import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from khub.components.embedders.model_folder import SHIPPED, load_model, shipped_models
from khub.components.embedders.native_threads import run_each
from khub.components.embedders.static_model import StaticModel
from khub.components.errors import KhubError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
NAME = "khub-fast"
TOKENS = len(json.loads((SHIPPED / NAME / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"])
CHINESE_TABLES = ("han_characters", "han_bigrams", "folding")


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel(SHIPPED / NAME)


@pytest.fixture(scope="module")
def tensors() -> dict[str, np.ndarray]:
    return load_file(SHIPPED / NAME / "model.safetensors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED / NAME, tmp_path / "model"))


def test_no_texts_give_no_rows(model: StaticModel):
    assert model.encode([]).shape == (0, model.dimension)


def test_vector_is_the_weighted_mean_of_the_token_rows(model: StaticModel, tensors: dict):
    vocabulary = json.loads((SHIPPED / NAME / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    ids = [vocabulary[token] for token in ("the", "cat", "sat", "the")]
    np.testing.assert_allclose(model.encode(["The cat sat the"])[0], mean_of(tensors, ids), atol=1e-5)


def mean_of(tensors: dict, ids: list[int]) -> np.ndarray:
    mean = (tensors["embeddings"][ids].astype(np.float32) * tensors["weights"][ids, None]).mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_chinese_rows_follow_those_of_the_tokenizer(model: StaticModel, tensors: dict):
    vocabulary = json.loads((SHIPPED / NAME / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    characters = tensors["han_characters"].tolist()
    pairs = [tuple(pair) for pair in tensors["han_bigrams"].tolist()]
    ids = [TOKENS + characters.index(ord(character)) for character in "密码"]
    ids += [TOKENS + len(characters) + pairs.index((ord("密"), ord("码"))), vocabulary["password"], vocabulary[":"]]
    np.testing.assert_allclose(model.encode(["password：密码"])[0], mean_of(tensors, ids), atol=1e-5)


def test_rows_have_the_lengths_by_which_they_become_one_long(model: StaticModel, tensors: dict):
    rows = np.array([5, 7, 5])
    stored = tensors["embeddings"][rows].astype(np.float32)
    assert model.float_rows(rows).tolist() == stored.tolist()
    assert model.row_lengths(rows) == pytest.approx(np.linalg.norm(stored, axis=1))
    assert model.unit_rows(rows) == pytest.approx(stored / np.linalg.norm(stored, axis=1)[:, None], abs=1e-6)


def test_a_row_of_zeros_has_no_direction(folder: Path, tensors: dict):
    embeddings = tensors["embeddings"].copy()
    embeddings[3] = 0
    save_file({**tensors, "embeddings": embeddings}, folder / "model.safetensors")
    model = StaticModel(folder)
    assert model.row_lengths(np.array([3])).tolist() == [1.0]
    assert not model.unit_rows(np.array([3])).any()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("圖書館的開放時間", "图书馆的开放时间"),
        ("電腦無法連接網絡", "电脑无法连接网络"),
        ("ＵＳＢ　ｐｏｒｔ", "USB port"),
        ("第３章 Ｐａｓｓｗｏｒｄ", "第3章 password"),
    ],
)
def test_traditional_and_full_width_characters_are_the_same_text(model: StaticModel, text: str, same: str):
    assert np.array_equal(*model.encode([text, same]))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_vectors_do_not_depend_on_threads(model: StaticModel, threads: int):
    texts = [f"第{i}章 chapter {i} 的内容 about {topic}" for i in range(100) for topic in ("rain", "税法", "bread")]
    assert np.array_equal(StaticModel(SHIPPED / NAME, threads).encode(texts), model.encode(texts))


@pytest.mark.parametrize(("threads", "used"), [(3, 3), (1, 1), (0, 6)])
def test_threads_embed_batches_at_the_same_time(monkeypatch: pytest.MonkeyPatch, threads: int, used: int):
    monkeypatch.setattr("khub.components.embedders.static_model.available_cores", lambda: 6)
    model, calls = StaticModel(SHIPPED / NAME, threads), []

    def spy(work, items, count):
        calls.append((len(items), count))
        run_each(work, items, count)

    monkeypatch.setattr("khub.components.embedders.static_model.run_each", spy)
    model.encode(["text"] * 300)
    assert calls == [(3, used)]


def test_a_vector_does_not_depend_on_its_neighbours(model: StaticModel):
    texts = [f"sentence number {i} about {topic}" for i in range(150) for topic in ("rain", "tax law", "bread")]
    together = model.encode(texts)
    assert np.array_equal(together, np.vstack([model.encode([text]) for text in texts]))
    assert np.array_equal(together, model.encode(texts))


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        ("How do I buy a car?", "Purchasing an automobile", "Baking bread at home"),
        ("The doctor treated the patient", "A physician cared for a sick person", "The court rejected the appeal"),
        ("staff salary increase", "employees get higher wages", "the volcano erupted"),
        ("How fast do airplanes fly?", "the speed of an aircraft", "the taste of cheese"),
    ],
)
def test_texts_that_mean_the_same_are_closer(model: StaticModel, question: str, same: str, other: str):
    vectors = model.encode([question, same, other])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


@pytest.mark.parametrize("text", ["", " \n\t", "😀🎉", "㐃㐄", "\u200b", "[UNK]", "x" * 5000])
def test_text_without_known_tokens_gets_the_vector_of_the_unknown_token(model: StaticModel, tensors: dict, text: str):
    vector = model.encode([text])[0]
    vocabulary = json.loads((SHIPPED / NAME / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    row = tensors["embeddings"][vocabulary["[UNK]"]].astype(np.float32)
    np.testing.assert_allclose(vector, row / np.linalg.norm(row), atol=1e-6)
    assert abs(vector @ model.encode(["The invoice must be paid within thirty days of delivery."])[0]) < 0.2


def test_unknown_tokens_do_not_count(model: StaticModel):
    without, with_them = model.encode(["reset the password", "reset 🎉 the 㐃 password"])
    # a sum of more rows, some of them 0, may be rounded in another order
    np.testing.assert_allclose(with_them, without, atol=1e-6)


def test_long_text_counts_to_its_end(model: StaticModel):
    start, end = "the harvest of wheat and barley. ", "satellites orbit distant planets. "
    text = start * (500_000 // len(start)) + end * (500_000 // len(end))
    vectors = model.encode([text, start, end])
    assert vectors[0] @ vectors[1] > 0.5
    assert vectors[0] @ vectors[2] > 0.5
    assert len(text) > 990_000


def test_properties(model: StaticModel):
    assert model.languages == ("en", "zh")
    assert len(model.fingerprint) == 16
    assert int(model.fingerprint, 16) > 0
    assert model.fingerprint == StaticModel(SHIPPED / NAME).fingerprint


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_fingerprint_follows_the_files_that_decide_a_vector(model: StaticModel, folder: Path, name: str):
    if name == "model.safetensors":
        tensors = load_file(folder / name)
        tensors["weights"][5000] *= 2
        save_file(tensors, folder / name)
    else:
        tokenizer = json.loads((folder / name).read_text(encoding="utf-8"))
        tokenizer["normalizer"]["lowercase"] = False
        (folder / name).write_text(json.dumps(tokenizer), encoding="utf-8")
    assert StaticModel(folder).fingerprint != model.fingerprint


def test_float_rows_without_weights_are_read_too(folder: Path):
    save_file({"embeddings": np.eye(TOKENS, 8, dtype=np.float16)[::-1].copy()}, folder / "model.safetensors")
    (folder / "config.json").write_text("{}", encoding="utf-8")
    model = StaticModel(folder)
    assert (model.dimension, model.languages) == (8, ())
    np.testing.assert_allclose(model.encode(["the", ""]), np.eye(1, 8).repeat(2, axis=0))
    assert np.array_equal(*model.encode(["", "检索"]))  # without tables Chinese is what the tokenizer makes of it


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [None, b"", b"[]", b"\xff\xfe\x00", "half"])
def test_missing_or_damaged_file_is_named_with_a_remedy(folder: Path, name: str, content: bytes | str | None):
    path = folder / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if isinstance(content, str) else content)
    with raises_code("model_damaged", path, "copy the whole"):
        StaticModel(folder)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({"embeddings": np.ones((10, 4), np.int8)}, f"10 rows but tokenizer.json has {TOKENS} tokens"),
        ({"embeddings": np.ones(TOKENS, np.int8)}, "do not fit together"),
        ({"embeddings": np.ones((TOKENS, 4), np.int8), "weights": np.ones(7, np.float32)}, "do not fit together"),
        ({"embeddings": np.full((TOKENS, 4), np.nan, np.float32)}, "do not fit together"),
        ({"rows": np.ones((TOKENS, 4), np.int8)}, "no tensor 'embeddings'"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(folder: Path, stored: dict[str, np.ndarray], said: str):
    save_file(stored, folder / "model.safetensors")
    with pytest.raises(KhubError, match=rf"model\.safetensors.*{said}"):
        StaticModel(folder)


@pytest.mark.parametrize("name", CHINESE_TABLES)
@pytest.mark.parametrize(
    "damage",
    [
        lambda table: np.full_like(table, 0x20000),  # beyond the basic plane
        lambda table: table.astype(np.float32),
        lambda table: np.zeros((len(table), 2, 2), np.uint32),
        lambda table: None,
    ],
    ids=["too large", "no integers", "wrong shape", "missing"],
)
def test_damaged_chinese_tables_are_named(folder: Path, tensors: dict, name: str, damage):
    changed = {**tensors, name: damage(tensors[name])}
    save_file({key: table for key, table in changed.items() if table is not None}, folder / "model.safetensors")
    with raises_code("model_damaged", "model.safetensors") as caught:
        StaticModel(folder)
    if changed["han_characters"] is not None:  # without this table the rows of all are too many
        assert repr(name) in caught.value.message


@pytest.mark.parametrize("name", ["han_characters", "han_bigrams"])
def test_chinese_tables_have_a_row_for_each_entry(folder: Path, tensors: dict, name: str):
    save_file({**tensors, name: tensors[name][:-3]}, folder / "model.safetensors")
    rows = len(tensors["embeddings"])
    with pytest.raises(KhubError, match=rf"has {rows} rows but tokenizer\.json has {rows - 3} tokens"):
        StaticModel(folder)


def test_a_folder_is_loaded_once_and_anew_when_it_changes(folder: Path):
    first: list[object] = []
    threads = [threading.Thread(target=lambda: first.append(load_model(str(folder)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(first) == 8
    assert all(model is first[0] for model in first)
    save_file({"embeddings": np.ones((TOKENS, 4), np.int8)}, folder / "model.safetensors")
    assert load_model(str(folder)).dimension == 4


def test_threads_share_a_model(model: StaticModel):
    texts = [f"passage {i} about gardens, taxes and trains" for i in range(300)]
    expected, results = model.encode(texts), []
    threads = [threading.Thread(target=lambda: results.append(model.encode(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_model_by_name_path_and_home(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("USERPROFILE", str(folder.parent))
    assert NAME in shipped_models()
    assert load_model("~/model") is load_model(str(folder))
    assert load_model(NAME).fingerprint == load_model(str(folder)).fingerprint


@pytest.mark.parametrize("name", ["khub-slow", "", "..", "/no/such/folder"])
def test_unknown_model_lists_the_shipped_ones(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KhubError) as caught:
        load_model(name)
    assert NAME in caught.value.remedy or str(tmp_path.parent) in caught.value.message


def test_shipped_model_is_small_and_says_where_it_comes_from():
    folder = SHIPPED / NAME
    assert sum(path.stat().st_size for path in folder.iterdir()) < 33_000_000
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["teacher"] == "khub-base"
    assert config["teacher_fingerprint"] == load_model("khub-base").fingerprint
    assert "Apache License" in (folder / "NOTICE.txt").read_text(encoding="utf-8")
