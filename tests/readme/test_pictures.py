"""The pictures are what the commands show now."""

import importlib.util
import re
import sys
from xml.etree import ElementTree

import pytest

from tests.readme.conftest import run_here
from tests.readme.markdown import ENGLISH, ROOT, blocks
from tests.readme.transcript import agrees

SVG = "{http://www.w3.org/2000/svg}"
MEND = "docs/demo.svg is old: run python docs/make_pictures.py"


@pytest.fixture(scope="module")
def pictures():
    if sys.platform == "win32":
        pytest.skip("no pseudo-terminals there")
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def rows(svg: str) -> list[str]:
    return ["".join(row.itertext()) for row in ElementTree.fromstring(svg).iter(f"{SVG}g")]


@pytest.mark.e2e
def test_the_recording_is_what_a_terminal_shows_now(pictures, reader, home):
    shown = rows(pictures.PICTURE.read_text(encoding="utf-8"))
    ((_, _, _, ingested), _) = reader.play(run_here()[1])
    questions = [pictures.record(c, home / "knowledge-hub" / "data") for c in pictures.COMMANDS[1:]]
    start = [f"$ {pictures.COMMANDS[0]}", ingested.splitlines()[-1]]
    now = [*start, *rows(pictures.draw(questions))]
    assert agrees("".join(f"{row}\n" for row in shown), "".join(f"{row}\n" for row in now)), MEND


@pytest.mark.unit
def test_the_recording_asks_nobody_for_anything(pictures):
    svg = pictures.PICTURE.read_text(encoding="utf-8")
    names = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert names == {"svg", "title", "style", "rect", "g", "text"}
    assert not re.search(r"url\(|@import|@font-face|href", svg)
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]


@pytest.mark.unit
def test_a_line_that_was_drawn_over_shows_its_last_state(pictures):
    drawn_over = "\x1b[?25l 1 of 2\r\x1b[2K 2 of 2\r\n\x1b[?25h\r\x1b[1A\x1b[2Kdone 好\r\n"
    svg = pictures.draw(
        [pictures.Recorded("khub x", drawn_over, 9.0), pictures.Recorded("khub y", "\x1b[1mend\x1b[0m\r\n", 0.1)]
    )
    assert rows(svg) == ["$ khub x", "done 好", "$ khub y", "end"]
    delays = [float(delay) for delay in re.findall(r"animation-delay:([\d.]+)s", svg)]
    assert delays[1] - delays[0] == pytest.approx(pictures.LONGEST_PAUSE_S)
    assert delays == sorted(delays)


@pytest.mark.e2e
def test_a_command_that_fails_is_not_drawn(pictures, tmp_path):
    with pytest.raises(RuntimeError, match="khub show nothing failed: khub: there is no collection yet"):
        pictures.record("khub show nothing", tmp_path)


@pytest.mark.integration
def test_the_graph_is_what_the_command_draws(khub):
    (drawn,) = [block.text for block in blocks(ENGLISH) if block.language == "mermaid"]
    assert khub(ROOT, "graph", "show", "query", "--mermaid") == (0, drawn)
