"""The shipped models: strange texts, damaged folders, and what they import."""

import numpy as np
import pytest

from khub.components.embedders.model_folder import load_model, shipped_models

pytestmark = pytest.mark.unit
EACH = pytest.mark.parametrize("name", ["khub-base", "khub-fast"])
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


def test_all_are_shipped():
    assert shipped_models() == ["khub-base", "khub-fast"]


@EACH
def test_strange_texts_get_finite_unit_vectors(name: str):
    model = load_model(name)
    vectors = model.encode([*STRANGE.values(), SENTENCE])
    assert vectors.shape == (len(STRANGE) + 1, model.dimension)
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[-1], model.encode([SENTENCE])[0])


@EACH
def test_languages_share_a_space(name: str):
    texts = ["How do I reset my password?", "如何重置密码？", "The volcano erupted at night", "火山在夜里喷发"]
    cosines = load_model(name).encode(texts[:2]) @ load_model(name).encode(texts[2:]).T
    same = load_model(name).encode(texts[::2]) @ load_model(name).encode(texts[1::2]).T
    assert min(same[0, 0], same[1, 1]) > cosines.max() + 0.2
