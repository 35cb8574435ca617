"""Any name becomes a name that every store accepts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from khub.components.catalog.slug import slug_of

pytestmark = pytest.mark.unit

SLUG = re.compile(r"[a-z][a-z0-9_]{2,31}")


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=200))
def test_any_name_becomes_a_slug(name):
    assert SLUG.fullmatch(slug_of(name))


@given(st.sets(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=2, max_size=20))
def test_different_names_have_different_slugs(names):
    assert len({slug_of(name) for name in names}) == len(names)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=50))
def test_slug_of_another_name_cannot_be_taken(name):
    slug = slug_of(name)
    assert slug == name or slug_of(slug) != slug


@pytest.mark.parametrize("name", ["docs", "abc", "a_2", "a" * 32])
def test_slug_stays(name):
    assert slug_of(name) == name


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("My Notes", "my_notes"), ("知识库", "c"), ("2024 plans", "c_2024_plans"), ("Straße", "strae"),
        ("ab", "ab"), ("A", "a"), ("x" * 33, "x" * 23), ("..", "c"), ("../../etc", "etc"),
    ],
)  # fmt: skip
def test_other_names_keep_what_is_readable_and_get_a_hash(name, stem):
    assert re.fullmatch(re.escape(stem) + r"_+[0-9a-f]{8}", slug_of(name))
