"""The Python programs of the guide run as they stand there; tests/clients has those that need other packages."""

import pytest

from tests.docs.python_programs import make_handbooks, programs_with, run

pytestmark = pytest.mark.e2e


def test_programs_of_the_hub_alone_run_one_after_the_other(tmp_path):
    make_handbooks(tmp_path)
    first, synced, without_blocking, wrong, pipeline = programs_with(
        "hub.ingest(", "hub.sync(", "ingest_async", "except KhubError", "SuperComponent"
    )
    assert "Ember 300 Operator Manual 4 " in run(first, tmp_path)
    assert "0 unchanged, 0 gone" in run(synced, tmp_path)
    assert "Beacon" in run(without_blocking, tmp_path)
    assert run(wrong, tmp_path).startswith("collection_unknown ")
    assert "E-4012" in run(f"import os; os.environ['KHUB_HOME'] = 'my-hub'\n{pipeline}", tmp_path)
