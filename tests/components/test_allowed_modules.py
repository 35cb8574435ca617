"""Which modules a graph may name."""

import pytest

from khub.components.allowed_modules import OWN_MODULES, allowed_modules, is_allowed
from khub.components.trust import decide_module

pytestmark = pytest.mark.unit


def test_own_components_and_haystacks_are_allowed(monkeypatch):
    monkeypatch.delenv("KHUB_ALLOWED_MODULES", raising=False)
    assert allowed_modules() == list(OWN_MODULES)
    for module in ("khub.components.guard", "haystack.components.joiners", "haystack_integrations.components.x"):
        assert is_allowed(module)
    for module in ("os", "subprocess", "componentsx.y", "xcomponents.y", "my_parts"):
        assert not is_allowed(module)


def test_user_may_allow_more(monkeypatch):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", " my_parts , lab.*,,")
    assert allowed_modules() == [*OWN_MODULES, "my_parts", "lab.*"]
    assert is_allowed("my_parts")
    assert is_allowed("lab.x")
    assert not is_allowed("my_parts_too")


def test_a_trusted_module_is_allowed_with_all_below_it(monkeypatch):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "lab.*")
    decide_module("my_parts", True)
    assert all(map(is_allowed, ("my_parts", "my_parts.rankers.x", "lab.x")))
    assert not is_allowed("my_parts_too")
    decide_module("my_parts", False)
    assert not is_allowed("my_parts")
