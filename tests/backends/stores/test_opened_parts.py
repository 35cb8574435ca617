"""The stores of the stores page that lie in a local folder are opened by `khub graph check ingest --open`."""

import re
import shutil

import pytest

from khub.components.errors import StoreError
from khub.server.graphs.opened_parts import OPENED, open_parts
from tests.docs.markdown import PAGES, ROOT, blocks
from tests.docs.unified_diff import edit

pytestmark = pytest.mark.integration

STORES = [block.text for page in PAGES if page.name == "stores.md" for block in blocks(page, "diff")]
LOCAL = [text for text in STORES if re.search(r"(?m)^\+.*\{home\}", text)]


def test_each_local_store_is_opened(tmp_path):
    assert len(LOCAL) >= 2
    for number, diff in enumerate(LOCAL):
        folder = tmp_path / str(number)
        shutil.copytree(ROOT / "pipelines", folder / "pipelines")
        ingest = folder / "pipelines" / "ingest.yaml"
        ingest.write_text(ingest.read_text("utf-8").replace("model: khub-base", "model: khub-fast"), "utf-8")
        edit(diff, folder)
        parts = open_parts(ingest)
        assert [part for part in parts if part.state != OPENED] == [], diff
        assert any(part.part.endswith("Store") and part.said == "takes 384 dimensions" for part in parts), diff


def test_a_missing_folder_is_no_matter_of_another_process(tmp_path):
    store = pytest.importorskip("khub.components.stores.milvus_store")
    with pytest.raises(StoreError) as told:
        store.MilvusStore("notes", {"uri": str(tmp_path / "none" / "milvus.db")})
    assert "no folder" in told.value.message
    assert "process" not in told.value.remedy
