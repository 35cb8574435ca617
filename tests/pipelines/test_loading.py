"""A collection whose embedder takes longer to be loaded than its stage may take."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from khub.components.answer import Answer
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.traces.index import find_trace
from tests.components.parts import toy_embedders
from tests.pipelines.conftest import limit, parameters

pytestmark = pytest.mark.integration

LIMIT_S = 0.3
PATIENCE_S = 20


def test_the_first_question_waits_for_the_collections_embedder(
    change: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "tests.components.parts.*")
    toy_embedders.LOADS.clear()
    toy_embedders.LOADED.clear()
    slow = {"type": f"{toy_embedders.__name__}.SlowDocumentEmbedder", "init_parameters": {"model": "slow"}}
    change("ingest", lambda graph: parameters(graph, "embed").update(embedder=slow))
    change("query", lambda graph: limit(graph, "dense", LIMIT_S))
    file = tmp_path / "ember.md"
    file.write_text("# Ember\n\nThe battery of the Ember robot lasts eleven hours on one charge.\n", encoding="utf-8")
    assert ingest([str(file)], "docs").failed == []

    answers: list[Answer] = []
    question = threading.Thread(target=lambda: answers.append(ask("How long does the battery last?", "docs")))
    question.start()
    assert toy_embedders.LOADS.wait(PATIENCE_S)
    question.join(3 * LIMIT_S)
    assert question.is_alive()
    toy_embedders.LOADED.set()
    question.join(PATIENCE_S)

    (answer,) = answers
    assert answer.degraded == []
    assert [leg.name for leg in answer.legs if leg.used] == ["dense", "sparse"]
    record = find_trace(answer.trace_id)
    assert record is not None
    (dense,) = (stage for stage in record["stages"] if stage["name"] == "dense")
    spans = {span["name"]: span["ms"] for span in dense["details"]["spans"]}
    assert spans["load"] > 1000 * LIMIT_S
