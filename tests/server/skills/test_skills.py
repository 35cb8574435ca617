import re

import pytest
import typer
import yaml

from khub.server.cli import app
from khub.server.skills.command_help import command_context, command_help
from khub.server.skills.install import install_skills
from khub.server.skills.skills import SKILLS
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
CODE = re.compile(r"`khub ([^`]+)`")


@pytest.fixture(scope="module")
def root():
    return typer.main.get_command(app)


def parts(markdown):
    _, head, body = markdown.split("---\n", maxsplit=2)
    return yaml.safe_load(head), body


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_the_head_is_what_assistants_ask_for(skill, root):
    head, body = parts(skill.markdown(root))
    assert set(head) == {"name", "description"}
    assert re.fullmatch(r"rag-[a-z]{1,60}", head["name"])
    assert 40 < len(head["description"]) <= 1024
    assert "Use " in head["description"]
    assert len(body.splitlines()) < 500


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_every_command_and_option_that_it_names_exists(skill, root):
    _, body = parts(skill.markdown(root))
    typed = CODE.findall(body)
    assert typed
    for line in typed:
        context = context_of(root, line)
        options = {
            name for parameter in context.command.params for name in (*parameter.opts, *parameter.secondary_opts)
        }
        assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", line)) <= options, line


def context_of(root, line):
    words = []
    for word in line.split():
        if not hasattr(command_context(root, words).command, "get_command"):
            break
        words.append(word)
    assert words, line
    return command_context(root, words)


def test_each_command_of_a_skill_comes_with_all_its_options(root):
    for skill in SKILLS:
        _, body = parts(skill.markdown(root))
        for command in skill.commands:
            section = body[body.index(f"## khub {command}\n") :].split("\n## ")[0]
            for parameter in command_context(root, command.split()).command.params:
                assert not parameter.opts[0].startswith("-") or parameter.opts[0] in section


def test_help_of_a_command_that_is_not_there(root):
    with pytest.raises(LookupError, match="khub graph dance"):
        command_help(root, ["graph", "dance"])
    with pytest.raises(LookupError, match="khub query deeper"):
        command_help(root, ["query", "deeper"])


def test_skills_are_written_and_brought_up_to_date(tmp_path, root):
    first = install_skills(tmp_path / "skills", root)
    assert {written.path.parent.name for written in first} == {"rag-test", "rag-ingest", "rag-query", "rag-eval"}
    assert all(written.changed for written in first)
    again = first[0].path
    again.write_text(again.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    assert [written.changed for written in install_skills(tmp_path / "skills", root)] == [True, False, False, False]
    assert "more" not in again.read_text(encoding="utf-8").splitlines()[-1]
    assert list(again.parent.iterdir()) == [again]


def test_a_skill_of_someone_elses_is_left_alone(tmp_path, root):
    own = tmp_path / "rag-query" / "SKILL.md"
    own.parent.mkdir()
    own.write_text("mine", encoding="utf-8")
    with raises_code("skill_not_written", "SKILL.md"):
        install_skills(tmp_path, root)
    assert own.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [own.parent]
