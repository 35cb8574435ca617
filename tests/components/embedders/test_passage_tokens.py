"""A passage in parts, and its tokens part by part."""

import pytest

from components.embedders.model_folder import load_model
from components.embedders.passage_tokens import passage_tokens
from components.embedders.static_model import StaticModel

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def model() -> StaticModel:
    loaded = load_model("khub-fast")
    assert isinstance(loaded, StaticModel)
    return loaded


def test_tokens_of_the_parts_stand_one_after_the_other(model: StaticModel) -> None:
    parts = ["Robots", "The battery is empty.", "给电池充电。"]

    (tokens,) = passage_tokens(model, [parts])

    alone = model.distinct_rows(parts)
    assert tokens.rows.tolist() == [row for rows in alone for row in rows.tolist()]
    assert tokens.lengths.tolist() == [len(rows) for rows in alone]


def test_a_sentence_without_a_known_token_is_left_out_and_an_empty_head_stays(model: StaticModel) -> None:
    first, second = passage_tokens(model, [["", "🤖", "A battery."], ["Robots"]])

    assert len(first.lengths) == 2
    assert first.lengths[0] == 0
    assert second.lengths.tolist() == [len(second.rows)]
    assert passage_tokens(model, []) == []
