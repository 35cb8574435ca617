import numpy as np
import pytest

from components.embedders.model_folder import load_model
from components.embedders.static_model import StaticModel
from components.embedders.token_interaction import TokenInteraction

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def model() -> StaticModel:
    loaded = load_model("khub-fast")
    assert isinstance(loaded, StaticModel)
    return loaded


def by_loops(model: StaticModel, question: str, passage: str) -> float:
    interaction = TokenInteraction(model)
    asked, found = interaction.tokens([question, passage])
    weights = model.row_weights(asked)
    total = 0.0
    for row, weight in zip(asked, weights, strict=True):
        vector = model.unit_rows(np.array([row]))[0]
        total += weight * max(float(vector @ other) for other in model.unit_rows(found))
    return total / float(weights.sum())


def test_the_score_is_the_weighted_mean_of_the_greatest_cosines(model: StaticModel) -> None:
    question, passages = "battery of the robot 电池", ["The accumulator", "机器人的电池", "robot robot battery"]
    interaction = TokenInteraction(model)

    scores = interaction.scores(interaction.tokens([question])[0], interaction.tokens(passages))

    assert scores == pytest.approx([by_loops(model, question, passage) for passage in passages], abs=1e-5)


def test_a_passage_that_holds_every_word_has_the_highest_score(model: StaticModel) -> None:
    interaction = TokenInteraction(model)
    question, same, empty = interaction.tokens(["the robot", "the robot and more", "🤖"])

    assert interaction.scores(question, [same, empty, same]) == pytest.approx([1.0, 0.0, 1.0], abs=1e-5)
    assert interaction.scores(empty, [same]).tolist() == [0.0]
    assert interaction.scores(question, []).tolist() == []
    assert interaction.scores(question, [empty]).tolist() == [0.0]


def test_tokens_are_distinct_and_known(model: StaticModel) -> None:
    repeated, once = TokenInteraction(model).tokens(["robot robot 🤖 robot", "robot"])

    assert repeated.tolist() == once.tolist()
    assert len(once) == 1


def test_tokens_of_several_texts_are_those_of_each_alone(model: StaticModel) -> None:
    interaction = TokenInteraction(model)
    texts = ["The robot's battery, the battery.", "", "给机器人的电池充电 with a charger", "🤖", "battery"]

    together = interaction.tokens(texts)

    assert [rows.tolist() for rows in together] == [interaction.tokens([text])[0].tolist() for text in texts]
    assert all(rows.tolist() == sorted(set(rows.tolist())) for rows in together)
    assert [len(rows) > 0 for rows in together] == [True, False, True, False, True]
    assert interaction.tokens([]) == []


def test_scores_of_many_passages_are_those_of_each_alone(model: StaticModel) -> None:
    interaction = TokenInteraction(model)
    texts = [f"battery number {n} of {n * 7} robots, {chr(97 + n % 26)}{n}" for n in range(200)]
    question, passages = interaction.tokens(["charging the battery of a robot"])[0], interaction.tokens(texts)

    alone = [float(interaction.scores(question, [rows])[0]) for rows in passages]

    assert interaction.scores(question, passages).tolist() == pytest.approx(alone, abs=1e-6)


def test_unmet_is_the_share_of_the_question_without_a_counterpart(model: StaticModel) -> None:
    interaction = TokenInteraction(model)
    question = interaction.tokens(["battery giraffe"])[0]
    passages = interaction.tokens(["the battery of a giraffe", "battery", "x", ""])

    scores, unmet = interaction.match(question, passages)

    assert scores.tolist() == interaction.scores(question, passages).tolist()
    assert unmet[0] == pytest.approx(0)
    assert 0 < unmet[1] < 1
    assert unmet[3] == 1
