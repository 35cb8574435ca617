"""The package of docs/examples/plugin, as its page says: installed, trusted, and named in graphs.

It takes about half a minute: each step is a process of its own, as a user starts them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import DOCS, blocks, in_chinese
from tests.docs.transcript import commands
from tests.docs.unified_diff import changed_file, edit

pytestmark = pytest.mark.e2e

PAGE, ROOT = DOCS / "graphs" / "own-parts.md", DOCS.parent
GPX = """<?xml version="1.0"?>
<gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>Ridge walk</name></metadata>
<trk><name>Sharp Edge</name><desc>Blencathra from Scales by the arete.</desc></trk></gpx>
"""
INSTALL = "pip install docs/examples/plugin"
WITHOUT_COMMAND = ("export ", INSTALL)


@pytest.fixture
def packages(tmp_path):
    """A folder into which the package is installed, from a copy, as building leaves files beside it."""
    copy = shutil.copytree(DOCS / "examples" / "plugin", tmp_path / "plugin")
    here = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", tmp_path / "packages")
    subprocess.run([sys.executable, "-m", "pip", "install", *here, copy], check=True, timeout=120)
    return tmp_path / "packages"


@pytest.fixture
def khub(tmp_path, packages):
    """A function: run khub as a process, and return its exit code, and what it wrote to each stream."""
    (tmp_path / "work").mkdir()
    own = {
        "KHUB_HOME": str(tmp_path / "home"),
        "KHUB_PIPELINES": str(tmp_path / "work" / "my-graphs"),
        "XDG_CONFIG_HOME": str(tmp_path / "configuration"),
        "APPDATA": str(tmp_path / "configuration"),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(packages))),
        "PYTHONUTF8": "1",
    }
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("KHUB_", "COV"))}, **own}

    def run(*arguments):
        command = [sys.executable, "-m", "khub.server.cli", *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=tmp_path / "work",
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_ranker_a_format_and_a_store_of_a_package_do_the_work(khub, tmp_path):
    work = tmp_path / "work"
    (block,) = blocks(PAGE, "sh")
    steps = [command for command in commands(block.text) if not command.startswith(WITHOUT_COMMAND)]
    came = [khub(*step.split()[1:]) for step in steps]
    assert [code for code, *_ in came] == [0] * len(came)
    untrusted, trusted = (out + err for step, (_, out, err) in zip(steps, came, strict=True) if "parts" in step)
    assert "khub trust --module khub_example" in untrusted
    assert "khub_example.ranker.NewestFirst" not in untrusted
    for part in ("ranker.NewestFirst", "store.NumpyStore", "store.NumpyRetriever", "plugins: [gpx]"):
        assert part in trusted
    shutil.copy(work / "my-graphs" / "ingest.yaml", work / "my-graphs" / "tracks.yaml")
    for diff in blocks(PAGE, "diff"):
        edit(diff.text, work)
    checked = khub("graph", "check", "query", "ingest", "tracks")
    assert checked[0] == 0, checked

    (folder := work / "walks").mkdir()
    (folder / "ridge.gpx").write_text(GPX, encoding="utf-8")
    for name, year in (("new", 2026), ("old", 2001)):
        file = folder / f"{name}.md"
        file.write_text(f"# The {name} path\n\nThe steep path over the fell ({name}).", encoding="utf-8")
        os.utime(file, (time_of(year), time_of(year)))
    code, out, err = khub("ingest", folder, "--json")
    result = json.loads(out)
    assert (code, len(result["written"]), result["passed_over_count"]) == (0, 3, 0), err
    assert list((tmp_path / "home" / "dense").rglob("vectors.npz"))
    assert cited(khub, "Which way leads up Blencathra?")[0] == "ridge.gpx"
    paths = cited(khub, "the steep path over the fell")
    assert paths.index("new.md") < paths.index("old.md")
    assert khub("doctor", "--full")[0] == 0
    assert "3 unchanged" in "".join(khub("sync", folder)[1:])

    khub("trust", "--module", "khub_example", "--remove")
    code, _, refused = khub("query", "paths")
    assert code == 1
    assert "khub trust --module khub_example" in refused


def test_both_languages_show_the_same():
    shown, in_other = ([block.text for block in blocks(page)] for page in (PAGE, in_chinese(PAGE)))
    assert shown == in_other
    assert {changed_file(block.text) for block in blocks(PAGE, "diff")} == {
        f"my-graphs/{name}.yaml" for name in ("query", "ingest", "tracks")
    }


def time_of(year):
    return (year - 1970) * 365.25 * 86_400


def cited(khub, question):
    answer = json.loads(khub("query", question, "--json")[1])
    assert answer["degraded"] == []
    return [Path(citation["source"]).name for citation in answer["citations"]]
