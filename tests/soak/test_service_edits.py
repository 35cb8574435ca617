"""A graph that is edited while many ask."""

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.soak.service import ROOT, asking, fill, note, serving, until

pytestmark = pytest.mark.soak
CLIENTS = 20
SHOWN = "top_k: 5}"  # of the last stage: so many citations


def test_nobody_sees_that_a_graph_is_edited(tmp_path: Path) -> None:
    question = fill(tmp_path)
    graphs = tmp_path / "graphs"
    shutil.copytree(ROOT / "pipelines", graphs)
    file = graphs / "query.yaml"
    right = file.read_text(encoding="utf-8")
    assert right.count(SHOWN) == 1
    slowest, wanted = [], 5
    with serving(tmp_path, KHUB_PIPELINES=str(graphs)) as service, asking(service, CLIENTS, question) as asked:
        until(lambda: len(asked) > 2 * CLIENTS)
        for number in range(8):
            broken = number % 4 == 1
            if broken:
                text = right[:300] if number == 1 else right.replace("evidence.Evidence", "evidence.Nothing")
            else:
                wanted = 1 if wanted == 5 else 5
                text = right.replace(SHOWN, f"top_k: {wanted}}}")
            if number % 3 == 1:
                file.with_suffix(".new").write_text(text, encoding="utf-8")
                file.with_suffix(".new").replace(file)
            else:
                file.write_text(text, encoding="utf-8")
            edited, first = time.monotonic(), len(asked)
            until(lambda: sum(one.began > edited + 1 for one in asked[first:]) > CLIENTS)  # noqa: B023
            shown = [(one.began - edited, len(json.loads(one.text)["citations"])) for one in asked[first:] if one.text]
            late = [after for after, count in shown if (count > 1 if wanted == 1 else count == 1) and after > 0]
            slowest.append(max(late, default=0))
            assert any(count == 1 if wanted == 1 else count > 1 for _, count in shown)
        statuses = [one.status for one in asked]
    assert set(statuses) == {200}
    assert max(slowest) < 1
    figures = (
        f"{len(statuses)} requests, 0 failed; the last with the graph before began {max(slowest):.2f} s after an edit"
    )
    note("8 edits, 2 of them broken, under 20 clients", figures, "0 failed; 1 s")
