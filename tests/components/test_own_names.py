"""Graphs and catalogs of 0.1.0 name the hub's own classes as they were called then."""

import pytest

from khub.components.bounded_yaml import load_yaml
from khub.components.own_names import with_current_names
from khub.components.trust import allowed_pairs

pytestmark = pytest.mark.unit

OLD = "components.rankers.score_ranker.ScoreRanker"
NEW = f"khub.{OLD}"


def test_graphs_name_classes_as_they_are_called_now():
    assert load_yaml(f"components: {{rank: {{type: {OLD}}}}}") == {"components": {"rank": {"type": NEW}}}
    assert load_yaml(f"type: {NEW}") == {"type": NEW}


def test_evaluators_are_found_where_they_lie_now():
    current = "khub.eval.evaluators.score_table.ScoreTable"
    assert load_yaml("type: components.evaluators.score_table.ScoreTable") == {"type": current}
    assert load_yaml("type: khub.components.evaluators.score_table.ScoreTable") == {"type": current}


@pytest.mark.parametrize("text", ["components.rank", "haystack.components.joiners.x.Y", f"see {OLD}", "components"])
def test_other_texts_stay(text):
    assert load_yaml(f"text: '{text}'") == {"text": text}


def test_data_of_a_catalog_are_mapped_wherever_they_stand():
    assert with_current_names({"store": [{"type": OLD, "size": 3}]}) == {"store": [{"type": NEW, "size": 3}]}


def test_a_secret_of_a_store_is_still_allowed(monkeypatch):
    monkeypatch.setenv("KHUB_SECRETS", "PG_CONN_STR@components.stores.pgvector_store.PgvectorStore")
    assert ("PG_CONN_STR", "khub.components.stores.pgvector_store.pgvectorstore") in allowed_pairs()


def test_parameters_that_left_are_taken_out_and_told_once(caplog):
    entry = "{type: components.answers.evidence.Evidence, init_parameters: {duplicates: 0.8, neighbour_weight: 0.1}}"
    for _ in range(2):
        assert load_yaml(entry)["init_parameters"] == {"duplicates": 0.8}
    assert [record.args for record in caplog.records] == [("Evidence", "neighbour_weight")]
