"""The wheel holds one package, all that the hub needs, nothing twice, and a description whose links lead somewhere."""

import hashlib
import re
import shutil
import subprocess
import tomllib
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

from khub.components.embedders.model_folder import shipped_models
from tests.docs.containers import DOCKERFILE
from tests.wheel.building import ROOT, build, files_in, wheel_in

pytestmark = pytest.mark.e2e

FOLDERS = ("khub", "components", "server", "dashboard", "eval", "pipelines")
MOST_MB = 80
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def of_package(names):
    return {name for name in names if name.startswith("khub/")}


def test_it_is_one_package_of_bounded_size(built):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    top = {name.partition("/")[0] for name in built.names()}
    assert top == {"khub", f"knowledge_hub-{project['version']}.dist-info"}
    assert built.wheel.stat().st_size <= MOST_MB * 1e6


def test_it_holds_what_the_repository_has(built):
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout.split("\0")
    there = {name for name in listed if (ROOT / name).is_file() and not name.startswith("eval/lab/")}
    expected = {name if name.startswith("khub/") else f"khub/{name}" for name in there}
    assert of_package(built.names()) == expected
    kinds = {Path(name).suffix for name in expected}
    assert {".sql", ".tsv", ".yaml", ".j2", ".jsonl", ".json", ".onnx", ".safetensors", ".typed"} <= kinds
    assert {".js", ".css"} <= kinds


def test_a_wheel_of_the_checkout_holds_the_same(built):
    assert built.names() == built.of_checkout


def test_each_model_has_a_tokenizer_of_its_own(built):
    with ZipFile(built.wheel) as archive:
        hashes = [
            hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
            if name.endswith("/tokenizer.json")
        ]
    assert len(set(hashes)) == len(hashes) == len(shipped_models())


def test_the_description_is_the_readme_without_links_into_the_repository(built):
    description = message_from_bytes(built.read("/METADATA")).get_payload(decode=True).decode("utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert FENCE.findall(description) == FENCE.findall(readme)
    assert "](docs/" in readme
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", description))
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []


def test_the_first_layer_of_the_image_needs_no_sources(tmp_path):
    (copied,) = re.findall(r"^COPY (pyproject\.toml .+) \./$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    for name in copied.split():
        shutil.copy(ROOT / name, tmp_path)
    build("--wheel", "--outdir", tmp_path / "out", source=tmp_path)
    assert of_package(files_in(wheel_in(tmp_path / "out"))) == set()
