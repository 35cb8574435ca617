import math

import numpy as np
import pytest

from khub.components.embedders.static_model import StaticModel
from khub.components.embedders.token_interaction import LENGTH_PENALTY, TokenInteraction

pytestmark = pytest.mark.unit


def by_loops(khub_fast: StaticModel, question: str, passage: str) -> float:
    interaction = TokenInteraction(khub_fast)
    asked, found = interaction.tokens([question, passage])
    weights = khub_fast.row_weights(asked)
    total = 0.0
    for row, weight in zip(asked, weights, strict=True):
        vector = khub_fast.unit_rows(np.array([row]))[0]
        total += weight * max(float(vector @ other) for other in khub_fast.unit_rows(found))
    return total / float(weights.sum())


def test_the_score_is_the_weighted_mean_of_the_greatest_cosines(khub_fast: StaticModel) -> None:
    question, passages = "battery of the robot 电池", ["The accumulator", "机器人的电池", "robot robot battery"]
    interaction = TokenInteraction(khub_fast)

    scores = interaction.scores(interaction.tokens([question])[0], interaction.tokens(passages))

    assert scores == pytest.approx([by_loops(khub_fast, question, passage) for passage in passages], abs=1e-5)


def test_a_passage_that_holds_every_word_has_the_highest_score(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question, same, empty = interaction.tokens(["the robot", "the robot and more", "🤖"])

    assert interaction.scores(question, [same, empty, same]) == pytest.approx([1.0, 0.0, 1.0], abs=1e-5)
    assert interaction.scores(empty, [same]).tolist() == [0.0]
    assert interaction.scores(question, []).tolist() == []
    assert interaction.scores(question, [empty]).tolist() == [0.0]


def test_tokens_of_several_texts_are_those_of_each_alone(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    texts = ["The robot's battery, the battery.", "", "给机器人的电池充电 with a charger", "🤖", "battery"]

    together = interaction.tokens(texts)

    assert [rows.tolist() for rows in together] == [interaction.tokens([text])[0].tolist() for text in texts]
    assert all(rows.tolist() == sorted(set(rows.tolist())) for rows in together)
    assert [len(rows) > 0 for rows in together] == [True, False, True, False, True]
    assert interaction.tokens([]) == []


def test_scores_of_many_passages_are_those_of_each_alone(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    texts = [f"battery number {n} of {n * 7} robots, {chr(97 + n % 26)}{n}" for n in range(200)]
    question, passages = interaction.tokens(["charging the battery of a robot"])[0], interaction.tokens(texts)

    alone = [float(interaction.scores(question, [rows])[0]) for rows in passages]

    assert interaction.scores(question, passages).tolist() == pytest.approx(alone, abs=1e-6)


def less(score: float, tokens: int) -> float:
    return score - LENGTH_PENALTY * math.log(tokens)


def test_unmet_is_the_share_of_the_question_without_a_counterpart(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["battery giraffe"])[0]
    passages = interaction.passages([["", "the battery of a giraffe"], ["", "battery"], ["", "x"], [""]])

    met = interaction.match(question, passages)

    assert met.unmet[0] == pytest.approx(0)
    assert 0 < met.unmet[1] < 1
    assert met.unmet[3] == pytest.approx(1)
    assert met.scores[3] == 0


def test_a_passage_scores_as_its_text_does_less_what_its_length_gives_it(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["charging the battery of a robot"])[0]
    sentences = ["The accumulator is empty.", "Robots stand in the hall."]
    (whole,) = interaction.tokens([" ".join(sentences)])
    (passage,) = interaction.passages([["", *sentences]])

    met = interaction.match(question, [passage])

    assert met.scores[0] == pytest.approx(less(float(interaction.scores(question, [whole])[0]), len(passage.rows)))


def test_the_best_sentence_is_compared_by_itself_with_what_stands_above(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["charging the battery of a robot"])[0]
    head, sentences = "Robots", ["Plug in the charger.", "The accumulator is full.", "Zebras graze."]
    (passage,) = interaction.passages([[head, *sentences]])
    alone = [interaction.tokens([f"{head} {sentence}"])[0] for sentence in sentences]
    scores = [
        less(float(score), len(rows)) for score, rows in zip(interaction.scores(question, alone), alone, strict=True)
    ]

    met = interaction.match(question, [passage])

    assert met.sentence_scores[0] == pytest.approx(max(scores), abs=1e-6)
    each = [interaction.match(question, interaction.passages([[head, one]])).unmet[0] for one in sentences]
    assert met.sentence_unmet[0] == pytest.approx(min(each))


def test_words_in_one_sentence_say_more_than_the_same_words_in_two(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["battery giraffe"])[0]
    together = ["", "The giraffe has a battery.", "The hall is empty."]
    apart = ["", "The giraffe is empty.", "The hall has a battery."]

    met = interaction.match(question, interaction.passages([together, apart]))

    assert met.scores[0] == pytest.approx(met.scores[1], abs=0.01)
    assert met.sentence_scores[0] > met.sentence_scores[1] + 0.1
    assert met.sentence_unmet.tolist() == pytest.approx([0, met.sentence_unmet[1]])
    assert met.sentence_unmet[1] > 0.2


def test_many_passages_are_met_as_each_alone(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["charging the battery of a robot"])[0]
    passages = interaction.passages(
        [["Title" * (n % 2), *(f"battery number {n} of {m} robots, {chr(97 + m)}{n}" for m in range(n % 5))]
         for n in range(60)]
    )  # fmt: skip

    together = interaction.match(question, passages)
    alone = [interaction.match(question, [passage]) for passage in passages]

    for name, numbers in together._asdict().items():
        assert numbers.tolist() == pytest.approx([float(getattr(one, name)[0]) for one in alone], abs=1e-6)


def test_without_a_sentence_the_whole_stands_for_it(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question = interaction.tokens(["battery"])[0]

    met = interaction.match(question, interaction.passages([["A battery"], ["", "🤖"]]))

    assert met.sentence_scores.tolist() == met.scores.tolist()
    assert met.sentence_unmet.tolist() == met.unmet.tolist() == pytest.approx([0, 1])


def test_where_either_side_has_no_token_nothing_is_met(khub_fast: StaticModel) -> None:
    interaction = TokenInteraction(khub_fast)
    question, nothing = interaction.tokens(["battery", "🤖"])
    passages = interaction.passages([["Battery", "battery"]])

    for met in (interaction.match(nothing, passages), interaction.match(question, interaction.passages([[""]]))):
        assert [numbers.tolist() for numbers in met] == [[0], [1], [0], [1]]
    assert [len(numbers) for numbers in interaction.match(question, [])] == [0] * 4
