import json

import pytest

from khub.components.answer import Degraded
from khub.components.verification import Verification

pytestmark = pytest.mark.integration

TEXT = "The battery of the Ember robot lasts eleven hours [1]. 员工每年有二十天年假。"


def test_each_claim_with_its_evidence(khub, filled):
    result = khub("verify", f"{TEXT} Penguins fly to the moon.")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("agrees ")
    assert lines[0].endswith("  The battery of the Ember robot lasts eleven hours.")
    assert lines[1] == "    the passage says the same"
    assert lines[2] == "    [1] ember.md: Ember manual > Battery"
    assert lines[3] == "        The battery of the Ember robot lasts eleven hours."
    assert any(line.startswith("differs ") for line in lines)
    assert "这里是 二十天，那里是 十五天" in result.stdout
    assert lines[-1] == "3 claims: 1 agrees, 1 differs, 1 not found"


def test_a_file_standard_input_json_and_strict(khub, khub_json, filled, tmp_path):
    file = tmp_path / "answer.md"
    file.write_text(f"\ufeff- {TEXT}", encoding="utf-8")
    found = khub_json("verify", "--file", file)
    assert found["summary"] == {"agrees": 1, "differs": 1, "not_found": 0}
    assert json.loads(khub("verify", "-", "--json", input=TEXT).stdout)["summary"] == found["summary"]
    assert khub("verify", "--file", file, "--strict").exit_code == 1
    assert khub("verify", "The battery of the Ember robot lasts eleven hours.", "--strict").exit_code == 0


def test_mistakes(khub, filled, tmp_path):
    for arguments, said in (
        ([], "give TEXT or --file"),
        (["x", "--file", "y"], "give TEXT or --file"),
        (["--file", tmp_path / "none.md"], "cannot be read as UTF-8 text"),
    ):
        result = khub("verify", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in " ".join(result.stderr.split())
    for arguments, said in (
        (["Hello!"], "makes no claim"),
        (["It is red.", "-c", "nowhere"], "there is no collection 'nowhere'"),
        (["It is red.", "--graph", "query"], "kind 'query'"),
    ):
        result = khub("verify", *arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert said in result.stderr
        assert result.stderr.count("\n") == 1


def test_what_was_degraded_is_told(khub, monkeypatch):
    counts = {"agrees": 0, "differs": 0, "not_found": 0}
    found = Verification([], summary=counts, degraded=[Degraded("dense", "too\nslow")])
    monkeypatch.setattr("khub.server.questions.verify.verify", lambda *_: found)
    result = khub("verify", "x")
    assert result.stderr == "khub: degraded: dense: too\\nslow\n"
    assert result.stdout == "0 claims: 0 agrees, 0 differs, 0 not found\n"
