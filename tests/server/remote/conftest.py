"""A service in a process of its own with a hub of its own, and the command, which has none."""

import json
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from khub.components.home import hub_home
from khub.components.private_files import CATALOG
from khub.server.cli import app
from tests.server.http.test_service import served
from tests.server.hub_files import FIXED

TOKENS = {"KHUB_TOKEN": "r", "KHUB_WRITE_TOKEN": "w"}


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """A service of which each test takes a collection for itself; of a file it takes 2 MB."""
    folder = tmp_path_factory.mktemp("service")
    home = {"KHUB_HOME": str(folder / "hub"), "KHUB_PIPELINES": str(FIXED), "KHUB_UPLOAD_MB": "2"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**home, **TOKENS}.items():
            patch.setenv(name, value)
        running = served(folder)
        _, client = running.__enter__()
    yield str(client.base_url).rstrip("/")
    running.__exit__(None, None, None)


@dataclass
class There:
    """Runs the command against the service, and sees that no hub appears here."""

    address: str

    def run(self, *arguments, code=0, env=None, **more):
        runner = CliRunner()
        words = ["--server", self.address, *map(str, arguments)]
        done = runner.invoke(app, words, prog_name="khub", env={**TOKENS, **(env or {})}, **more)
        assert done.exit_code == code, done.output
        assert not (hub_home() / CATALOG).exists()  # a log of earlier tests in this process may be there
        return done

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more).stdout)


@pytest.fixture
def there(address):
    return There(address)
