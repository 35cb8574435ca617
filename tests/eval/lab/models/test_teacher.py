"""The teacher's vectors, kept between runs."""

from pathlib import Path

import numpy as np
import pytest

from khub.components.embedders.model_folder import load_model
from khub.eval.lab.models import teacher

pytestmark = pytest.mark.integration


def test_a_text_is_read_once_and_kept_for_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = teacher.teacher_vectors(["query: a cat", "query: 猫"], tmp_path)
    assert np.allclose(first, load_model("khub-base").encode(["query: a cat", "query: 猫"]), atol=1e-3)
    asked: list[list[str]] = []

    class Counting:
        fingerprint = load_model("khub-base").fingerprint

        def encode(self, texts: list[str]) -> np.ndarray:
            asked.append(texts)
            return np.ones((len(texts), 384))

    monkeypatch.setattr(teacher, "load_model", lambda _: Counting())
    second = teacher.teacher_vectors(["query: 猫", "query: a dog", "query: a dog"], tmp_path)
    assert asked == [["query: a dog"]]
    assert np.array_equal(second[0], first[1])
