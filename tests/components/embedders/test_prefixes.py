from pathlib import Path

import pytest

from khub.components.embedders.model_folder import load_model
from khub.components.embedders.prefixes import Prefixes
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
CONFIG = Path("model") / "config.json"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"query_prefix": "query: ", "passage_prefix": "passage: "}, Prefixes("query: ", "passage: ")),
        ({"query_prefix": "Represent this: "}, Prefixes("Represent this: ", "")),
        ({"languages": ["en"]}, Prefixes("", "")),
    ],
)
def test_settings_say_them_and_what_they_do_not_say_is_empty(settings: dict, expected: Prefixes):
    assert Prefixes.of(settings, CONFIG) == expected


@pytest.mark.parametrize("name", ["query_prefix", "passage_prefix"])
@pytest.mark.parametrize("value", [3, None, ["query: "]])
def test_a_damaged_one_is_named(name: str, value: object):
    with raises_code("model_damaged", "config.json", f"'{name}'"):
        Prefixes.of({"query_prefix": "query: ", "passage_prefix": "passage: ", name: value}, CONFIG)


def test_those_of_the_shipped_models():
    assert load_model("khub-base").prefixes == Prefixes("query: ", "passage: ")
    assert load_model("khub-fast").prefixes == Prefixes("", "")
