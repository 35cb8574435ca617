"""A passage in parts, and its tokens part by part."""

import pytest

from khub.components.catalog.passage_tokens import passage_tokens
from khub.components.embedders.static_model import StaticModel

pytestmark = pytest.mark.unit


def test_tokens_of_the_parts_stand_one_after_the_other(khub_fast: StaticModel) -> None:
    parts = ["Robots", "The battery is empty.", "给电池充电。"]

    (tokens,) = passage_tokens(khub_fast, [parts])

    alone = khub_fast.distinct_rows(parts)
    assert tokens.rows.tolist() == [row for rows in alone for row in rows.tolist()]
    assert tokens.lengths.tolist() == [len(rows) for rows in alone]


def test_a_sentence_without_a_known_token_is_left_out_and_an_empty_head_stays(khub_fast: StaticModel) -> None:
    first, second = passage_tokens(khub_fast, [["", "🤖", "A battery."], ["Robots"]])

    assert len(first.lengths) == 2
    assert first.lengths[0] == 0
    assert second.lengths.tolist() == [len(second.rows)]
    assert passage_tokens(khub_fast, []) == []
