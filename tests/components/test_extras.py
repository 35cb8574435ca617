"""What an extra is installed by is what can be run where the hub is."""

import pytest
from packaging.requirements import Requirement

from khub.components import extras
from khub.components.extras import install_extra
from khub.server.graphs.problem import Problem

pytestmark = pytest.mark.unit


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The hub as a package, without a checkout around it."""
    monkeypatch.setattr(extras, "CONSTRAINTS", tmp_path / "constraints.txt")


def test_a_checkout_installs_from_itself_with_its_versions():
    assert install_extra("ocr") == 'pip install -e ".[ocr]" -c constraints.txt'


def test_a_package_is_installed_by_its_name(installed):
    pip, install, named = install_extra("ocr").split()
    requirement = Requirement(named.strip("'"))
    assert (pip, install, requirement.name, requirement.extras) == ("pip", "install", "knowledge-hub", {"ocr"})


def test_a_missing_extra_is_known_in_a_checkout():
    assert Problem(None, None, "it is missing", install_extra("qdrant")).is_missing_extra()
    assert not Problem(None, None, "it is missing", "pip install qdrant").is_missing_extra()


def test_a_missing_extra_is_known_in_a_package(installed):
    assert Problem(None, None, "it is missing", install_extra("qdrant")).is_missing_extra()
    assert not Problem(None, None, "it is missing", "pip install qdrant").is_missing_extra()
