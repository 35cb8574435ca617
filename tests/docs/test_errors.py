"""Each message of the table in troubleshooting.md comes as it stands there, and each that is tested stands there."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import pytest
from PIL import Image

from tests.docs.markdown import GUIDE, PAGES, ROOT, blocks, in_chinese, table_with
from tests.docs.test_diffs import is_installed, the_diff
from tests.docs.transcript import pattern
from tests.docs.unified_diff import edit
from tests.server.hub_files import name_parts
from tests.server.sources.web_site import web_site

ASK = ("query", "herons", "--collection", "demo", "--graph", "more/ask")
INSTALL = ("mcp", "install", "--client", "cursor", "--dir", ".")
TABLE = GUIDE / "troubleshooting.md"
MESSAGES = [row[0].strip("`") for row in table_with(TABLE, "command not found")]


class Desk:
    """Folders to make mistakes in; `demo` and `default` hold one note, embedded by khub-base."""

    def __init__(self, folder, khub):
        self.folder, self._khub = folder, khub

    def khub(self, *arguments, **environment):
        return self._khub(self.folder, *arguments, **environment)[1]

    def bash(self, command):
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        ran = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        return ran.stdout + ran.stderr

    def edited(self, old, new):
        """Ask through a graph in which something has been replaced."""
        file = self.folder / "pipelines" / "query.yaml"
        right = file.read_text(encoding="utf-8")
        file.write_text(right.replace(old, new), encoding="utf-8")
        came = self.khub("query", "herons", "--collection", "demo")
        file.write_text(right, encoding="utf-8")
        return came


@pytest.fixture(scope="module")
def desk(tmp_path_factory, khub):
    if sys.platform == "win32":
        pytest.skip("paths and shell are shown as on Linux and macOS")
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(ROOT / "pipelines", folder / "pipelines")
    (folder / "note.md").write_text("# Birds\n\nHerons wade slowly.\n", encoding="utf-8")
    (folder / "empty.txt").touch()
    (folder / "broken.pdf").write_text("%PDF-1.4 cut off", encoding="utf-8")
    (folder / "photo.txt").write_bytes(bytes(range(256)))
    (folder / "old.odt").write_bytes(b"words")
    (folder / "songs").mkdir()
    (folder / "songs" / "song.mid").touch()
    Image.new("L", (800, 1000), 180).save(folder / "scan.pdf")
    desk = Desk(folder, khub)
    for collection in ("demo", "default"):
        assert "ingest 1/1" in desk.khub("ingest", "note.md", "--collection", collection)
    return desk


def refused(word):
    return lambda desk: desk.khub("ingest", word, "--collection", "demo")


def ignored(desk):
    folder = desk.folder / "ignored"
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    for name in ("a.log", "b.log"):
        (folder / name).touch()
    return desk.khub("ingest", "ignored", "--dry-run")


def other_component(desk, **environment):
    old = "khub.components.rankers.score_ranker.ScoreRanker"
    file = desk.folder / "pipelines" / "query.yaml"
    changed = file.read_text(encoding="utf-8").replace(old, "few_per_document.FewPerDocument")
    (desk.folder / "other.yaml").write_text(changed, encoding="utf-8")
    return desk.khub("query", "herons", "--collection", "demo", "--graph", "other.yaml", **environment)


def of_another_model(desk):
    shutil.copy(desk.folder / "pipelines" / "query.yaml", desk.folder / "fast.yaml")
    name_parts(desk.folder / "fast.yaml", desk.folder / "pipelines" / "ingest_fast.yaml", embedder="khub-fast")
    return desk.khub("query", "herons", "--collection", "demo", "--graph", "fast.yaml")


def several(desk):
    for collection in ("demo", "quick"):
        desk.khub("ingest", "note.md", "--collection", collection, "--graph", "ingest_fast", KHUB_HOME="two")
    return desk.khub("query", "herons", "--explain", KHUB_HOME="two")


def embedded_earlier(desk):
    desk.khub("ingest", "note.md", "--collection", "demo", KHUB_HOME="earlier")
    with contextlib.closing(sqlite3.connect(desk.folder / "earlier" / "catalog.sqlite3")) as catalog, catalog:
        ((bound,),) = catalog.execute("SELECT binding FROM collections WHERE name = 'demo'")
        model = json.loads(bound)["embedder"]["identity"]["fingerprint"]
        catalog.execute("UPDATE collections SET binding = replace(binding, ?, 'of an earlier model')", (model,))
    return desk.khub("query", "herons", KHUB_HOME="earlier")


def without_vectors(desk, *arguments):
    desk.khub("ingest", "note.md", KHUB_HOME="torn")
    shutil.rmtree(desk.folder / "torn" / "dense")
    return desk.khub(*arguments, KHUB_HOME="torn")


def without_kept_vectors(desk):
    desk.khub("ingest", "note.md", KHUB_HOME="unkept")
    with contextlib.closing(sqlite3.connect(desk.folder / "unkept" / "catalog.sqlite3")) as catalog, catalog:
        catalog.execute("DELETE FROM vectors")
    return desk.khub("doctor", KHUB_HOME="unkept")


def with_qdrant(desk):
    if is_installed("haystack_integrations.document_stores.qdrant"):
        pytest.skip("the extra 'qdrant' is installed")
    folder = desk.folder / "swapped"
    shutil.copytree(ROOT / "pipelines", folder / "pipelines")
    edit(the_diff('path: "{home}/dense/{collection}", embedding_dim'), folder)
    return desk.khub("ingest", "note.md", KHUB_PIPELINES=str(folder / "pipelines"))


def with_a_model_to_fetch(desk):
    if not is_installed("haystack_integrations.components.embedders.sentence_transformers"):
        pytest.skip("the extra 'local-models' is not installed")
    folder = desk.folder / "fetched"
    shutil.copytree(ROOT / "pipelines", folder / "pipelines")
    edit(the_diff("intfloat/multilingual-e5-small"), folder)
    given = {"KHUB_PIPELINES": str(folder / "pipelines"), "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "none")}
    return desk.khub("ingest", "note.md", "--collection", "fetched", **given)


def with_a_broken_client(desk):
    (desk.folder / ".cursor").mkdir(exist_ok=True)
    (desk.folder / ".cursor" / "mcp.json").write_text("{\n  bad\n", encoding="utf-8")
    return desk.khub(*INSTALL)


def with_a_skill_of_another(desk):
    skill = desk.folder / "skills" / "rag-test" / "SKILL.md"
    skill.parent.mkdir(parents=True, exist_ok=True)
    skill.write_text("mine", encoding="utf-8")
    return desk.khub("skills", "install", "--dir", "skills")


def of_a_site(robots="", **settings):
    def sync(desk):
        if not is_installed("protego"):
            pytest.skip("the extra 'sources' is not installed")
        with web_site() as site:
            site.pages["/robots.txt"] = "text/plain", robots.encode()
            site.page("/guide/", "Birds", "Herons wade slowly.")
            given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
            return desk.khub("sync", f"web:{site.address}/guide/", *given, KHUB_HOME="followed")

    return sync


def with_a_key(**environment):
    def sync(desk):
        if not is_installed("protego"):
            pytest.skip("the extra 'sources' is not installed")
        return desk.khub("sync", "web:https://docs.example.com/guide/", "--set", "key=DOCS_KEY", **environment)

    return sync


def of_an_archive(*names):
    """Sync an archive of three notes, and then what is left of it."""

    def sync(desk):
        home, file = {"KHUB_HOME": f"archive-of-{len(names)}"}, desk.folder / f"notes-{len(names)}.zip"
        for held in (("a", "b", "c"), names):
            with zipfile.ZipFile(file, "w") as archive:
                for name in held:
                    archive.writestr(zipfile.ZipInfo(f"{name}.md"), f"# Note {name}\n\nHerons wade slowly in {name}.")
            came = desk.khub("sync", f"zip:{file.name}", **home)
        return came

    return sync


def in_the_demo(*arguments):
    return lambda desk: desk.khub(*arguments, "--collection", "demo")


TRIGGERS = {  # a part of the message, and what brings it
    "command not found": lambda desk: desk.bash("khub list"),
    "No rule to make target": lambda desk: desk.bash("make demo"),
    "no collection yet": lambda desk: desk.khub("query", "herons", KHUB_HOME="elsewhere"),
    "'dmeo'": lambda desk: desk.khub("query", "herons", "--collection", "dmeo"),
    "there are several": several,
    "nowhere: does not exist": refused("nowhere"),
    "no text, only pictures": refused("scan.pdf"),
    "is read through LibreOffice": lambda desk: desk.khub("ingest", "old.odt", PATH="nowhere"),
    "song.mid: passed over": lambda desk: desk.khub("ingest", "songs", "--dry-run"),
    "left out by .gitignore": ignored,
    "is damaged or no PDF": refused("broken.pdf"),
    "is empty (0 bytes)": refused("empty.txt"),
    "is not a text file": refused("photo.txt"),
    "this graph's question by": of_another_model,
    "another version or setting": embedded_earlier,
    "does not fit this graph": in_the_demo("ingest", "note.md", "--graph", "ingest_fast"),
    "has lost the collection's vectors": lambda desk: without_vectors(desk, "query", "herons"),
    "rebuild what is wrong": lambda desk: without_vectors(desk, "doctor"),
    "a repair does not mend": without_kept_vectors,
    "'top_kk'": lambda desk: desk.edited("top_k: 5", "top_kk: 5"),
    "'qury'": in_the_demo("query", "herons", "--graph", "qury"),
    "is of kind": in_the_demo("query", "herons", "--graph", "ingest"),
    "is not allowed in graphs": other_component,
    "unknown module": lambda desk: other_component(desk, KHUB_ALLOWED_MODULES="few_per_document"),
    "packages that are not installed": with_qdrant,
    "cannot be downloaded": with_a_model_to_fetch,
    "'khub-bse'": lambda desk: desk.khub("model", "card", "khub-bse"),
    "no document 'manual.pdf'": in_the_demo("show", "manual.pdf"),
    "two operators": in_the_demo("query", "herons", "--filter", "page>>3"),
    "field of the hub's own": in_the_demo("ingest", "note.md", "--meta", "title=x"),
    "top_k is 500": in_the_demo("query", "herons", "--top-k", "500"),
    "is empty: ask": in_the_demo("query", ""),
    "no trace": lambda desk: desk.khub("trace", "show", "12345"),
    "cannot be used": lambda desk: desk.khub("list", KHUB_HOME="note.md"),
    "add it to delete": in_the_demo("delete"),
    "'tpye'": in_the_demo("query", "herons", "--filter", "tpye:pdf"),
    "not for callers": in_the_demo("query", "herons", "--filter", "access_level=internal"),
    "names no access level": lambda desk: desk.khub("query", "herons", "--collection", "demo", KHUB_ACCESS=""),
    "makes no claim": in_the_demo("verify", "Hello?"),
    "tokens of today": lambda desk: desk.khub(*ASK, KHUB_LLM_API_KEY="none", KHUB_MODEL_TOKENS_PER_DAY="0"),
    "KHUB_LLM_API_KEY": lambda desk: desk.khub(*ASK, KHUB_LLM_API_KEY=None),
    "holds no documents yet": lambda desk: desk.khub(*INSTALL, KHUB_HOME="bare"),
    "it is no JSON": with_a_broken_client,
    "one file for all projects": lambda desk: desk.khub("mcp", "install", "--client", "claude-desktop", "--dir", "."),
    "from other machines": lambda desk: desk.khub("mcp", "--http", "--host", "0.0.0.0", KHUB_TOKEN=""),
    "was not made by khub": with_a_skill_of_another,
    "closed by the robots.txt": of_a_site("User-agent: *\nDisallow: /\n", private="true"),
    "no public address": of_a_site(),
    "if you trust it: khub trust --secret": with_a_key(DOCS_KEY="secret"),
    "the key DOCS_KEY": with_a_key(KHUB_SECRETS="DOCS_KEY@docs.example.com"),
    "of 3 documents from": of_an_archive("a"),
    "3 unchanged": of_an_archive("a", "b", "c"),
}


@pytest.mark.integration
@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: re.sub(r"[^\w']+", "-", message)[:50])
def test_a_message_comes_as_it_is_shown(message, desk):
    (trigger,) = [trigger for part, trigger in TRIGGERS.items() if part in message]
    if "make" in message and not shutil.which("make"):
        pytest.skip("no make")
    if "OCR is not installed" in message and find_spec("rapidocr"):
        pytest.skip("OCR is installed")
    came = trigger(desk)
    assert any(re.fullmatch(pattern(message), line) for line in came.splitlines()), came


@pytest.mark.unit
def test_each_that_is_tested_stands_there():
    assert len(MESSAGES) >= 15
    assert [part for part in TRIGGERS if sum(part in message for message in MESSAGES) != 1] == []


@pytest.mark.unit
def test_the_chinese_table_has_the_same_messages():
    assert [row[0].strip("`") for row in table_with(in_chinese(TABLE), "command not found")] == MESSAGES


@pytest.mark.unit
def test_messages_elsewhere_are_those_of_the_table():
    shown = [b.text.strip() for page in PAGES for b in blocks(page, "text") if b.text.startswith("khub: ")]
    assert shown
    assert set(shown) <= set(MESSAGES)
