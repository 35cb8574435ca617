"""Each way to split that the documentation shows is a graph, and cuts Chinese and English as it says."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.graphs.check import check_graph_text
from khub.server.library.ingest import ingest
from tests.docs.markdown import ROOT, blocks, headings
from tests.docs.unified_diff import edit

pytestmark = pytest.mark.integration

PAGE = ROOT / "docs/graphs/splitting.md"
DIFFS = dict(zip(headings(PAGE, "##"), [block.text for block in blocks(PAGE)], strict=True))
BIRDS, ENGINES = "The heron waits for fish in shallow water. ", "The engine burns diesel fuel under pressure. "
EGRETS, PUMPS = "白鹭站在浅水里等着鱼游过来。", "水泵的叶轮每分钟转两千九百转。"
ENGLISH = f"# Waders\n\n{BIRDS * 60}\n\n# Power\n\n{ENGINES * 60}\n\nPage 3 of 9\n\nContents ............ 3\n"
CHINESE = f"# 涉禽\n\n{EGRETS * 120}\n\n# 设备\n\n{PUMPS * 120}\n\n第 3 页 共 9 页\n\n目录 ………… 3\n"
CODE = "import os\n\n\ndef wade(depth):\n    return depth + 1\n\n\nclass Heron:\n    legs = 2\n" * 20

FILES = {"en.md": ENGLISH, "zh.md": CHINESE, "code.py": CODE}


@pytest.fixture
def chunks(tmp_path, monkeypatch, converted_here):
    """A function: apply a diff to the shipped graph, ingest with it; return the chunks of each file by its name."""

    def run(heading):
        (tmp_path / "pipelines").mkdir()
        file = tmp_path / "pipelines/ingest.yaml"
        file.write_text((ROOT / "pipelines/ingest.yaml").read_text(encoding="utf-8"), encoding="utf-8")
        edit(DIFFS[heading], tmp_path)
        monkeypatch.setenv("KHUB_PIPELINES", str(tmp_path / "pipelines"))
        assert check_graph_text(file.read_text(encoding="utf-8"), str(file)) == []
        notes = tmp_path / "notes"
        notes.mkdir()
        for name, text in FILES.items():
            (notes / name).write_text(text, encoding="utf-8")
        result = ingest([str(notes)])
        assert (result.failed, len(result.written)) == ([], 3)
        found = {name: [] for name in FILES}
        for chunk in sorted(open_catalog().chunks.visible("default"), key=lambda chunk: chunk.meta["ordinal"]):
            found[chunk.meta["source"].rsplit("/")[-1]].append(chunk)
        return found

    return run


def lengths(chunks):
    return [len(chunk.content) for chunk in chunks]


def test_all_ways_are_there():
    assert len(DIFFS) == 6


def test_each_section(chunks):
    found = chunks("One chunk for each section")
    assert [chunk.meta["section"] for chunk in found["en.md"]] == ["Waders", "Power"]
    assert [chunk.meta["section"] for chunk in found["zh.md"]] == ["涉禽", "设备"]


def test_fixed(chunks):
    found = chunks("Every so many characters")
    for name in ("en.md", "zh.md"):
        assert all(980 <= length <= 1000 for length in lengths(found[name])[:-1])
        one, two = found[name][:2]
        assert 140 <= one.meta["end"] - two.meta["start"] <= 150
    check_metadata(found)


def test_recursive(chunks):
    found = chunks("By separators, the coarse ones first")
    assert max(length for name in found for length in lengths(found[name])) <= 1000
    for name, ends in (("en.md", ".\n"), ("zh.md", "。\n")):
        assert len(found[name]) > 3
        assert all(f"{chunk.content}\n"[-2:] == ends for chunk in found[name][:-2] if "#" not in chunk.content)
    check_metadata(found)


def test_python(chunks):
    found = chunks("Python by Haystack's own splitter")
    code = [chunk.content for chunk in found["code.py"]]
    assert len(code) > 1
    assert all(text.startswith(("import", "def", "class")) for text in code)
    assert found["zh.md"][0].content.startswith("# 涉禽\n\n白鹭")  # by MarkdownSplitter
    check_metadata(found)


def test_semantic(chunks):
    found = chunks("Where the subject changes")
    for name, bird, machine in (("en.md", BIRDS, ENGINES), ("zh.md", EGRETS, PUMPS)):
        assert not any(bird.strip() in c.content and machine.strip() in c.content for c in found[name])
        assert {c.meta["section"] for c in found[name]} == {
            line[2:] for line in FILES[name].splitlines() if line[:2] == "# "
        }
    check_metadata(found)


def test_clean(chunks):
    found = chunks("Clean chunks by rules")
    for name, said in (("en.md", "Page 3"), ("zh.md", "第 3 页")):
        text = "\n".join(chunk.content for chunk in found[name])
        assert said not in text
        assert text.rstrip().endswith(" … 3")
    one = found["zh.md"][0]
    assert (one.meta["section"], FILES["zh.md"][one.meta["start"] : one.meta["end"]]) == ("涉禽", one.content)


def check_metadata(found):
    for name, chunks in found.items():
        assert [chunk.meta["ordinal"] for chunk in chunks] == list(range(len(chunks)))
        assert all(FILES[name][chunk.meta["start"] : chunk.meta["end"]] == chunk.content for chunk in chunks)
        assert {chunk.meta["language"] for chunk in chunks} <= {"zh" if name == "zh.md" else "en"}
        assert all(chunk.meta["doc_id"] and chunk.meta["parent"] for chunk in chunks)
