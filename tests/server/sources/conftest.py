import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.sources.asked_source import AskedSource
from khub.server.sources.source_sync import apply_source, plan_source
from tests.server.sources.web_site import web_site


@pytest.fixture(autouse=True)
def _shipped(pipelines, converted_here):
    pass


@pytest.fixture
def site():
    """A web site of this machine."""
    with web_site() as site:
        yield site


@pytest.fixture
def following():
    """Return a function that syncs a source and returns its plan and its result."""

    def sync(address, drastic=False, told=None, **more):
        settings = more.pop("settings", {})
        asked = AskedSource(address, "docs", private=more.pop("private", True), settings=settings, **more)
        plan = plan_source(asked, told)
        return plan, apply_source(plan, drastic=drastic)

    return sync


@pytest.fixture
def titles():
    """Return a function that lists the titles of the documents."""

    def titles():
        rows = open_catalog().documents.of_collection("docs")
        return sorted(str(row["title"]) for row in rows if row["status"] == "ready")

    return titles
