"""Reading where there is no hub yet: nothing is made, and what to do is said."""

import pytest

from khub.components.home import hub_home

pytestmark = pytest.mark.integration

WITHOUT = "there is no collection{} in {}: ingest some files first: khub ingest PATH, or set KHUB_HOME to the hub"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["query", "herons"], 1),
        (["verify", "Herons wade."], 1),
        (["compare", "herons", "query", "query"], 1),
        (["show", "birds.md"], 1),
        (["delete", "birds.md"], 1),
        (["reindex"], 1),
        (["list"], 0),
        (["doctor"], 0),
    ],
)
def test_reading_says_that_there_is_no_collection_yet_and_makes_nothing(khub, arguments, code):
    result = khub(*arguments)
    assert result.exit_code == code
    assert WITHOUT.format(" yet", hub_home()) in result.stderr
    assert not hub_home().exists()


def test_a_named_collection_is_missed_in_the_folder_that_was_looked_in(khub):
    result = khub("query", "herons", "-c", "birds")
    assert WITHOUT.format(" 'birds'", hub_home()) in result.stderr
    assert not hub_home().exists()
