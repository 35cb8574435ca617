"""Pairs come nearer to each other; what is drawn is a pair, or a question with its statement."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install -e '.[local-models]'")

from eval.lab.models.align_small import apart, draws, unfound, vectors  # noqa: E402 - needs what may be missing
from eval.lab.models.base_tokenizer import make_tokenizer  # noqa: E402
from eval.lab.models.corpus import Corpus  # noqa: E402
from eval.lab.models.train_small import Space, encoder_model, learn  # noqa: E402
from eval.lab.models.written import Pair, Statement  # noqa: E402
from tests.eval.lab.models.test_build_base import LAYERS, random_encoder  # noqa: E402

pytestmark = pytest.mark.integration
SIDES = [["passage: the heron", "passage: network"], ["passage: 苍鹭", "passage: 网关"]]


@pytest.fixture
def space():
    chosen = torch.randn(2, 384, generator=torch.Generator().manual_seed(2))
    return Space(chosen[0] / 100, torch.nn.functional.normalize(chosen[1], dim=0), [torch.tensor(1.0)])


def test_vectors_know_nothing_of_the_direction_of_languages(space):
    encoder = random_encoder()
    model = encoder_model(encoder.weights, range(LAYERS))
    found = vectors(model, make_tokenizer(encoder.pieces), SIDES[1], space)
    assert float((found @ space.direction).abs().max()) < 1e-4
    assert float((found.norm(dim=1) - 1).abs().max()) < 1e-4


def test_sides_come_nearer_to_each_other(space, tmp_path):
    encoder = random_encoder()
    tokenizer = make_tokenizer(encoder.pieces)
    student, teacher = (encoder_model(encoder.weights, range(LAYERS)) for _ in range(2))

    def cosine():
        with torch.inference_mode():
            left, right = (vectors(student, tokenizer, side, space) for side in SIDES)
        return float((left * right).sum(dim=1).mean())

    def losses(done):
        for _ in itertools.count(done):
            with torch.inference_mode():
                taught = [vectors(teacher, tokenizer, side, space) for side in SIDES]
            yield [apart([vectors(student, tokenizer, side, space) for side in SIDES], [t.clone() for t in taught])]

    before = cosine()
    learn(student, losses, tmp_path / "state.pt", steps=15, rate=1e-3)
    assert cosine() > before + 0.1


def test_finding_the_own_statement_costs_nothing():
    axes = torch.eye(4)
    assert float(unfound(axes, axes)) < 0.01 < float(unfound(axes, axes.flip(0)))


def test_questions_go_with_their_statements(monkeypatch):
    monkeypatch.setattr("eval.lab.models.align_small.PAIRS", 1)
    monkeypatch.setattr("eval.lab.models.align_small.STATEMENTS", 2)
    said = [Statement(Pair(f"said {n}", f"说{n}", ""), (Pair(f"asked {n}", f"问{n}", ""),)) for n in (1, 2, 3)]
    corpus = Corpus([Pair("one", "一", "")], [], [], [], said)
    for sides, (questions, statements) in itertools.islice(draws(corpus, seed=1), 5):
        assert sides == [["passage: one"], ["passage: 一"]]
        assert [text[-1] for text in questions] == [text[-1] for text in statements]
        assert all(text.startswith("query: ") for text in questions)
