import json
import shutil
import sys

import pytest

from khub.components.embedders.model_folder import SHIPPED, _load, load_model

pytestmark = pytest.mark.integration


@pytest.fixture
def folder(tmp_path):
    """Return a model folder with a card."""
    path = shutil.copytree(SHIPPED / "khub-fast", tmp_path / "own model")
    (path / "README.md").write_text("# Own model\n\nFor 中文, too.\x1b[2J\n", encoding="utf-8")
    return path


def test_without_a_name_the_shipped_models_are_listed(khub):
    lines = khub("model", "card").stdout.splitlines()
    assert lines[0].split("\t") == ["name", "kind", "languages", "dimension", "size MB", "fingerprint"]
    rows = {row[0]: row for row in (line.split("\t") for line in lines[1:])}
    assert rows["khub-base"][1:4] == ["onnx", "en, zh", "384"]
    assert rows["khub-fast"][1:4] == ["static", "en, zh", "384"]
    for name, row in rows.items():
        assert row[5] == load_model(name).fingerprint
        assert float(row[4]) == pytest.approx(sum(p.stat().st_size for p in (SHIPPED / name).iterdir()) / 1e6, abs=0.06)


def test_the_list_as_json(khub_json):
    models = {model["name"]: model for model in khub_json("model", "card")["models"]}
    assert models["khub-fast"]["languages"] == ["en", "zh"]
    assert models["khub-base"]["kind"] == "onnx"


@pytest.mark.parametrize("name", ["khub-base", "khub-fast"])
def test_each_shipped_model_has_a_card(khub, name):
    result = khub("model", "card", name)
    assert result.exit_code == 0, result.stderr
    assert name in result.stdout


def test_the_card_of_a_folder(khub, khub_json, folder):
    assert khub("model", "card", folder).stdout == "# Own model\n\nFor 中文, too.\ufffd[2J\n"
    shown = khub_json("model", "card", folder)
    assert shown["card"].startswith("# Own model")
    assert (shown["name"], shown["kind"], shown["dimension"]) == ("own model", "static", 384)


def test_a_missing_card_or_model_is_told(khub, khub_json, folder):
    (folder / "README.md").unlink()
    result = khub("model", "card", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{folder / 'README.md'} cannot be read" in result.stderr
    error = khub_json("model", "card", "khub-slow", code=1)["error"]
    assert (error["code"], "'khub-slow'" in error["message"]) == ("model_unknown", True)
    assert "khub-base, khub-fast" in error["remedy"]


def test_without_onnxruntime_the_rest_is_listed_and_the_reason_told(khub, monkeypatch):
    _load.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    result = khub("model", "card")
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    assert rows[0][:4] == ["khub-base", "onnx", "", ""]
    assert rows[1][:4] == ["khub-fast", "static", "en, zh", "384"]
    assert result.stderr.startswith("khub: khub-base: ")
    assert "onnxruntime" in result.stderr
    assert json.loads(khub("model", "card", "--json").stdout)["models"][0]["fingerprint"] is None
