"""The student is every other layer of its teacher, and comes nearer to it; a run that stopped goes on."""

import argparse

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install -e '.[local-models]'")

from khub.eval.lab.models import train_small  # noqa: E402 - needs what may be missing
from khub.eval.lab.models.base_tokenizer import make_tokenizer  # noqa: E402
from khub.eval.lab.models.train_small import chosen, encoder_model, layers_of, padded, pooled, train  # noqa: E402
from tests.eval.lab.models.test_build_base import LAYERS, random_encoder  # noqa: E402

pytestmark = pytest.mark.integration
TEXTS = ["query: the heron", "passage: 苍鹭在水中", "passage: the network gateway", "query: 网关重启"]


@pytest.fixture
def encoder():
    return random_encoder()


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other are slow where other tests run."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def few(monkeypatch):
    """Short runs, of a small space."""
    monkeypatch.setattr(train_small, "KEEP_EVERY", 5)
    monkeypatch.setattr(train_small, "WARM_UP_STEPS", 1)
    monkeypatch.setattr(train_small, "sample", lambda: {"zh": TEXTS[1::2] * 4, "en": TEXTS[::2] * 4})


def trained(encoder, folder, steps, capsys):
    """Train a student of one layer; return what is reported after each few steps."""
    arguments = argparse.Namespace(layers=LAYERS // 2, steps=steps, output=folder)
    train(encoder, make_tokenizer(encoder.pieces), TEXTS, arguments)
    return capsys.readouterr().err.splitlines()


def test_layers_are_numbered_anew(encoder):
    kept = chosen(encoder.weights, [1])
    name = "attention.self.query.weight"
    np.testing.assert_array_equal(kept[f"encoder.layer.0.{name}"], encoder.weights[f"encoder.layer.1.{name}"])
    assert not any(key.startswith("encoder.layer.1.") for key in kept)
    assert "embeddings.LayerNorm.bias" in kept


def test_padding_does_not_move_a_vector(encoder):
    model = encoder_model(encoder.weights, range(LAYERS)).eval()
    rows = [[0, 8, 9, 2], [0, 10, 11, 12, 13, 14, 2]]
    with torch.inference_mode():
        alone, beside = (
            pooled(layers_of(model, *given)[-1], given[1])[0] for given in (padded(rows[:1]), padded(rows))
        )
    assert float(alone @ beside) > 0.999


def test_a_student_comes_nearer(encoder, tmp_path, few, capsys):
    apart = [float(line.rsplit(" ", 1)[1]) for line in trained(encoder, tmp_path, 60, capsys)]
    assert apart[-1] < apart[0] / 2


def test_a_run_that_stopped_goes_on(encoder, tmp_path, few, capsys):
    for steps, reported in ((10, ["step 5", "step 10"]), (15, ["step 15"]), (15, [])):
        assert [line.split(",")[0] for line in trained(encoder, tmp_path, steps, capsys)] == reported
