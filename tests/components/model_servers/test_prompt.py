from pathlib import Path

import pytest

from khub.components.errors import GraphError
from khub.components.home import hub_home
from khub.components.model_servers.prompt import (
    Prompt,
    fence,
    load_prompt,
    prompt_fingerprint,
    prompt_language,
    prompt_text,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", ["refine", "metadata", "caption"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_prompt_ships_in_both_languages_and_fences_the_text(name: str, language: str) -> None:
    text = prompt_text(name, language, None)
    assert text.count("fence }}") >= 3
    assert ("指令" if language == "zh" else "instructions") in text


def test_the_users_own_prompts_come_first(tmp_path: Path) -> None:
    shipped = prompt_fingerprint("refine", None)
    own = hub_home() / "prompts" / "refine.en.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine: {{ text }}", encoding="utf-8")
    assert prompt_text("refine", "en", None) == "mine: {{ text }}"
    assert "改写" in prompt_text("refine", "zh", None)
    assert prompt_fingerprint("refine", None) != shipped
    named = tmp_path / "other.zh.md"
    named.write_text("另一个", encoding="utf-8")
    assert prompt_text("refine", "zh", str(tmp_path / "other.{language}.md")) == "另一个"
    assert prompt_text("refine", "en", str(named)) == "另一个"
    (hub_home() / "here.md").write_text("here", encoding="utf-8")
    assert prompt_text("refine", "en", "here.md") == "here"


def test_a_prompt_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(GraphError, match=r"nowhere\.md cannot be read"):
        prompt_text("refine", "en", "nowhere.md")


def test_values_are_never_read_as_a_template() -> None:
    assert Prompt("<{{ text }}>", "p").filled(text="{{ 7 * 7 }} {% raw %}", other=1) == "<{{ 7 * 7 }} {% raw %}>"


@pytest.mark.parametrize("text", ["{{ text", "{% if %}", "{{ unknown }}"])
def test_a_broken_template_is_refused(text: str) -> None:
    with pytest.raises(GraphError, match="prompt 'p'"):
        Prompt(text, "p").filled(text="x")


def test_no_text_can_hold_its_own_fence() -> None:
    assert fence("a", "b") != fence("ab")
    assert fence("a" + fence("a")) not in "a" + fence("a")


def test_languages() -> None:
    assert [prompt_language(language) for language in ("zh", "en", "und", "ja", None)] == ["zh", "en", "en", "en", "en"]
    assert load_prompt("refine", "zh", None).name == "refine.zh"
