import json

import pytest

from khub.components.home import hub_home
from khub.eval.run.known_sets import HERE, OF_HUB, SHIPPED, known_sets
from tests.eval.run.conftest import ROWS

pytestmark = pytest.mark.unit


def test_sets_of_the_hub_and_of_the_working_folder_come_before_the_shipped(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    own = hub_home() / "eval" / "golden.jsonl"
    own.parent.mkdir(parents=True)
    for file in (own, here / "mine.jsonl"):
        file.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    (here / "log.jsonl").write_text('{"level": "info"}\n', encoding="utf-8")
    (own.with_name("torn.jsonl")).write_text("{", encoding="utf-8")
    found = [(one.name, one.place, one.questions, bool(one.problem)) for one in known_sets()]
    assert found[:3] == [("golden", OF_HUB, 4, False), ("torn", OF_HUB, 0, True), ("mine", HERE, 4, False)]
    assert {place for _, place, _, _ in found[3:]} == {SHIPPED}
