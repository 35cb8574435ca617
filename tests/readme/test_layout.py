"""What the README says of files, folders and commands is so, and both languages say the same."""

import re

import pytest
from typer.main import get_command

from components.converters.file_types import SUPPORTED_EXTENSIONS
from server import setup
from server.cli import app
from tests.readme.markdown import CHINESE, ENGLISH, ROOT, blocks, headings, links, prose, table_with, tables

pytestmark = pytest.mark.unit
BOTH = pytest.mark.parametrize("readme", [ENGLISH, CHINESE], ids=["en", "zh"])


@BOTH
def test_links_lead_somewhere(readme):
    anchors = {anchor(heading) for heading in headings(readme)}
    inside = [link for link in links(readme) if not link.startswith("https://")]
    assert [link for link in inside if link.startswith("#") and link[1:] not in anchors] == []
    assert [link for link in inside if not link.startswith("#") and not (ROOT / link).exists()] == []


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@BOTH
def test_every_command_has_a_row(readme):
    told = " ".join(row[0] for row in table_with(readme, "khub ingest"))
    for name, command in get_command(app).commands.items():
        assert f"`khub {name}" in told
        for part in getattr(command, "commands", {}):
            assert re.search(rf"`(khub {name} )?{part}\b", told), f"khub {name} {part}"


@BOTH
def test_every_folder_is_named(readme):
    (shown,) = [block.text for block in blocks(readme) if block.text.startswith("pipelines/ ")]
    named = set(re.findall(r"^(\w+)/ ", shown, re.MULTILINE))
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert named >= packages | {"pipelines", "tests", "docs"}
    assert all((ROOT / name).is_dir() for name in named)


@BOTH
def test_every_component_of_the_shipped_graphs_has_a_row(readme):
    (table,) = [table for table in tables(readme) if "`IntegrityCheck`" in table[1]]
    told = {row[1].strip("`") for row in table[1:]}
    graphs = "".join((ROOT / f"pipelines/{name}.yaml").read_text("utf-8") for name in ("ingest", "query"))
    assert told == set(re.findall(r"^  (\w+):\n    type:", graphs, re.MULTILINE))


@BOTH
def test_numbers(readme):
    files = [file for file in (ROOT / "eval/samples").rglob("*") if file.is_file()]
    handbook = [file for file in files if file.parent.name == "handbook"]
    text = prose(readme)
    assert re.search(rf"\b{len(files)} ?(files|个文件)", text)
    assert re.search(rf"\b{len(handbook)} ?(on retrieval|篇)", text)
    assert re.search(rf"\b{len(SUPPORTED_EXTENSIONS)}\s+(file name extensions|种扩展名)", text)
    words = {"en": ["three", "four", "five"], "zh": ["三", "四", "五"]}["en" if readme == ENGLISH else "zh"]
    assert re.search(rf"{words[len(setup.DEMO_QUESTIONS) - 3]} ?(questions|个问题)", text)


def test_both_languages_show_the_same_blocks():
    english, chinese = ([(b.language, b.text) for b in blocks(readme) if not is_layout(b)] for readme in BOTH_FILES)
    assert english == chinese


def test_both_languages_have_the_same_headings_tables_and_links():
    def kinds(readme):
        return [mark for mark, _ in re.findall(r"^(#+) (.+)$", prose(readme), re.MULTILINE)]

    assert kinds(ENGLISH) == kinds(CHINESE)
    sizes = [[(len(table), len(table[0])) for table in tables(readme)] for readme in BOTH_FILES]
    assert sizes[0] == sizes[1]
    outside = [{link for link in links(f) if not link.startswith("#") and "README" not in link} for f in BOTH_FILES]
    assert outside[0] == outside[1]


def test_both_languages_name_the_same_messages_and_variables():
    for word in ("command not found", "KHUB_HOME"):
        names = [[re.findall("`[^`]+`", row[0]) for row in table_with(readme, word)] for readme in BOTH_FILES]
        assert names[0] == names[1]


BOTH_FILES = (ENGLISH, CHINESE)


def is_layout(block):
    return block.text.startswith("pipelines/ ")
