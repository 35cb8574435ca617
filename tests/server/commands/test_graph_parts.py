"""`khub graph parts`: what packages announce, and what is used of them."""

import sys

import pytest

ENTRIES = "[khub.components]\nsailing = sail_parts\n\n[markitdown.plugin]\nsails = sail_parts.files\n"
PARTS = """
from haystack import component, default_from_dict, default_to_dict
@component
class Trim:
    @component.output_types(query=str)
    def run(self, query: str):
        return {"query": query}
class Locker:
    def to_dict(self):
        return default_to_dict(self)
    @classmethod
    def from_dict(cls, data):
        return default_from_dict(cls, data)
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    (about := tmp_path / "packages" / "khub_sails-2.1.dist-info").mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: khub-sails\nVersion: 2.1\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    (package := tmp_path / "packages" / "sail_parts").mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(PARTS)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "sail_parts"]:
        del sys.modules[name]


@pytest.mark.unit
def test_a_package_is_listed_and_imported_once_it_is_trusted(khub, khub_json, installed):
    untrusted = {"distribution": "khub-sails 2.1", "module": "sail_parts", "trusted": False}
    assert khub_json("graph", "parts")["packages"] == [{**untrusted, "classes": [], "plugins": ["sails"]}]
    assert "khub trust --module sail_parts" in khub("graph", "parts").stderr
    assert "sail_parts" not in sys.modules
    khub("trust", "--module", "sail_parts")
    (package,) = khub_json("graph", "parts")["packages"]
    assert (package["trusted"], package["classes"]) == (True, ["sail_parts.parts.Locker", "sail_parts.parts.Trim"])
    listed = khub("graph", "parts")
    assert "sail_parts.parts.Trim" in listed.stdout
    assert "khub trust" not in listed.stderr
