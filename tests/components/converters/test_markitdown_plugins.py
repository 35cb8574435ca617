"""MarkItDown's plug-ins read their formats where a graph names them and their package is trusted."""

import hashlib
import sys

import pytest

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.errors import GraphError
from khub.server.library.recipe import recipe_of

ENTRY = "[markitdown.plugin]\nsails = sail_files\nmute = mute_files\n"
PLUGIN = """
from markitdown import DocumentConverter, DocumentConverterResult
ACCEPTED_FILE_EXTENSIONS = [".SAIL", ".md"]
class SailConverter(DocumentConverter):
    def accepts(self, file_stream, stream_info, **kwargs):
        return stream_info.extension in (".sail", ".md")
    def convert(self, file_stream, stream_info, **kwargs):
        if (data := file_stream.read()) == b"!":
            raise ValueError("no wind")
        return DocumentConverterResult(markdown=f"# Sail {data[1:].decode()}", title="Rigging")
def register_converters(markitdown, **kwargs):
    markitdown.register_converter(SailConverter())
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    folder = tmp_path / "packages"
    (about := folder / "sails-1.dist-info").mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sails\nVersion: 1\n")
    (about / "entry_points.txt").write_text(ENTRY)
    (folder / "sail_files.py").write_text(PLUGIN)
    (folder / "mute_files.py").write_text(PLUGIN.replace("ACCEPTED_FILE_EXTENSIONS", "SECRET"))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":" if sys.platform != "win32" else ";")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "sail_files,mute_files")
    yield
    for name in ("sail_files", "mute_files"):
        sys.modules.pop(name, None)


@pytest.fixture
def sources(tmp_path):
    def make(**files):
        records = []
        for name, data in files.items():
            path = tmp_path / name.replace("_", ".")
            path.write_bytes(data)
            record = {"path": str(path), "doc_id": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            records.append(record)
        return records

    return make


@pytest.mark.integration
def test_a_plugin_reads_its_formats_in_the_worker_before_the_hub_does(installed, sources):
    converter = MarkItDownConverter(plugins=["sails"])
    assert {".sail", ".md", ".pdf"} <= converter.extensions
    try:
        result = converter.run(sources=sources(a_sail=b"\xffjib", b_md=b"\xffstay", c_txt=b"plain", d_SAIL=b"!"))
    finally:
        converter.close()
    found = {document.meta["doc_id"]: document for document in result["documents"]}
    assert {key: document.content for key, document in found.items()} == {
        "a_sail": "# Sail jib",
        "b_md": "# Sail stay",
        "c_txt": "plain",
    }
    assert (found["a_sail"].meta["doc_type"], found["a_sail"].meta["title"]) == ("sail", "Rigging")
    assert [("no wind" in one["error"], one["source"][-6:]) for one in result["failed"]] == [(True, "d.SAIL")]


@pytest.mark.unit
def test_they_are_closed_until_they_are_named(installed):
    assert ".sail" not in MarkItDownConverter().extensions
    assert "sail_files" not in sys.modules


@pytest.mark.unit
@pytest.mark.parametrize(
    ("name", "allowed", "remedy"),
    [
        ("sails", "mute_files", "khub trust --module sail_files"),
        ("sayls", "sail_files", "sails"),
        ("mute", "mute_files", "ACCEPTED_FILE_EXTENSIONS"),
    ],
)
def test_one_that_cannot_be_used_is_refused_with_its_remedy(installed, monkeypatch, name, allowed, remedy):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", allowed)
    with pytest.raises(GraphError, match=name) as caught:
        MarkItDownConverter(plugins=[name])
    assert remedy in caught.value.remedy
    assert name == "mute" or "sail_files" not in sys.modules


@pytest.mark.unit
def test_the_recipe_changes_with_the_plugins_alone(installed):
    from haystack import Pipeline

    def recipe(**parameters):
        pipeline = Pipeline()
        pipeline.add_component("convert", MarkItDownConverter(**parameters))
        return recipe_of(pipeline)

    assert recipe() == recipe(plugins=None) != recipe(plugins=["sails"])
