"""Both shipped models: strange texts, damaged folders, and what they import."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from components.embedders.model_folder import SHIPPED, load_model, shipped_models
from components.errors import KhubError

pytestmark = pytest.mark.unit
BOTH = pytest.mark.parametrize("name", ["khub-base", "khub-fast"])
LONGEST = {"khub-base": 100_000, "khub-fast": 1_000_000}  # characters; a transformer takes seconds for a book
SENTENCE = "The gateway restarts every night. 网关每天夜里重启一次。"
STRANGE = {
    "empty": "",
    "blank": " \n\t\u3000",
    "emoji": "😀🎉👩‍👩‍👧🇨🇳",
    "control characters": "".join(map(chr, [*range(32), *range(0x7F, 0xA0), 0x200B, 0x202E, 0xFEFF, 0xFFFF])),
    "mixed scripts": "Пароль 密码 パスワード 비밀번호 كلمة السر סיסמה รหัสผ่าน पासवर्ड 𠀀𠮷 naïve",
    "lone surrogates": "broken \ud800 text \udfff 文\udc00本",
    "names of special tokens": "[CLS] [SEP] [UNK] <unk> [PAD]",
    "one endless word": "x" * 20_000,
    "unknown Han": "㐃㐄龘",
}
FILES = [
    *[("khub-base", file) for file in ("model.onnx", "tokenizer.json", "config.json")],
    *[("khub-fast", file) for file in ("model.safetensors", "tokenizer.json", "config.json")],
]
DAMAGES = [(*file, damage) for file in FILES for damage in ("missing", "truncated")]


def test_both_are_shipped():
    assert shipped_models() == ["khub-base", "khub-fast"]


@BOTH
def test_strange_texts_get_finite_unit_vectors(name: str):
    model = load_model(name)
    vectors = model.encode([*STRANGE.values(), SENTENCE])
    assert vectors.shape == (len(STRANGE) + 1, model.dimension)
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[-1], model.encode([SENTENCE])[0])


@BOTH
def test_long_text_gets_a_vector_like_its_sentences(name: str):
    text = SENTENCE * (LONGEST[name] // len(SENTENCE) + 1)
    vectors = load_model(name).encode([text, SENTENCE])
    assert len(text) >= LONGEST[name]
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.7


@BOTH
def test_languages_share_a_space(name: str):
    texts = ["How do I reset my password?", "如何重置密码？", "The volcano erupted at night", "火山在夜里喷发"]
    cosines = load_model(name).encode(texts[:2]) @ load_model(name).encode(texts[2:]).T
    same = load_model(name).encode(texts[::2]) @ load_model(name).encode(texts[1::2]).T
    assert min(same[0, 0], same[1, 1]) > cosines.max() + 0.2


@pytest.mark.parametrize(("name", "file", "damage"), DAMAGES)
def test_missing_or_truncated_file_is_named_with_a_remedy(tmp_path: Path, name: str, file: str, damage: str):
    path = Path(shutil.copytree(SHIPPED / name, tmp_path / "model")) / file
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(KhubError) as caught:
        load_model(str(path.parent))
    assert file in str(caught.value)
    assert str(path.parent) in caught.value.message
    assert caught.value.remedy


@BOTH
def test_torch_is_never_imported_and_the_model_comes_with_the_first_text(name: str):
    code = (
        "import json, sys\n"
        "from components.embedders.text_embedder import TextEmbedder\n"
        "from components.embedders.document_embedder import DocumentEmbedder\n"
        "from components.embedders.model_folder import _load\n"
        "large = ('torch', 'transformers', 'sentence_transformers', 'onnxruntime')\n"
        "seen = lambda: [_load.cache_info().currsize, [m for m in large if m in sys.modules]]\n"
        "before, embedder = seen(), TextEmbedder(sys.argv[1])\n"
        "made = seen(); embedder.run('a question 问题')\n"
        "sys.stdout.write(json.dumps([before, made, seen()]))"
    )
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    used = ["onnxruntime"] if name == "khub-base" else []
    assert json.loads(done.stdout) == [[0, []], [0, []], [1, used]]
