import pytest

from khub.components.query.spelling import slips_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "typed", ["assmbly", "assemblyy", "ssembly", "assembl", "assebmly", "asesmbly", "assambly", "assembyl"]
)
def test_one_letter_is_missing_added_another_or_in_the_wrong_place(typed: str) -> None:
    assert "assembly" in slips_of(typed)


@pytest.mark.parametrize("typed", ["assembly", "asmbly", "assemblers", "yssembla", "assembylx"])
def test_nothing_else_is_a_slip(typed: str) -> None:
    assert "assembly" not in slips_of(typed)


def test_a_short_word_only_lacks_a_letter() -> None:
    assert "hotel" in slips_of("hotl")
    assert slips_of("hotl").isdisjoint({"hot", "hole", "holt", "shotl"})
