import hashlib
import stat
import sys
from types import SimpleNamespace

import pytest

from khub.components.converters.speech import speech_model as module
from khub.components.converters.speech.speech_model import model_fingerprint, speech_model
from khub.components.errors import KhubError, MissingLibraryError, ModelFileError
from khub.components.home import hub_home
from khub.components.private_files import OTHERS
from tests.components.converters.speech.spoken import needs_speech

pytestmark = pytest.mark.unit


@pytest.fixture
def installed(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda: True)


@pytest.fixture
def weights(monkeypatch, tmp_path, installed):
    """Two packages with halves of small weights."""
    found = {}
    for number, name in enumerate(module._PARTS, 1):
        data = tmp_path / name / "data"
        data.mkdir(parents=True)
        (data / f"model.bin.part{number}").write_bytes(b"half %d " % number)
        for beside in module._BESIDE:
            (data / beside).write_text("{}")
        found[name] = SimpleNamespace(origin=str(data.parent / "__init__.py"))
    monkeypatch.setattr(module.importlib.util, "find_spec", found.get)
    return found


def test_the_halves_become_one_private_file_once(weights, monkeypatch):
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(b"half 1 half 2 ").hexdigest())
    folder = speech_model("whisper-base")
    assert folder.is_relative_to(hub_home() / "cache")
    assert (folder / "model.bin").read_bytes() == b"half 1 half 2 "
    assert {file.name for file in folder.iterdir()} == {"model.bin", *module._BESIDE}
    if sys.platform != "win32":
        assert not any(stat.S_IMODE(file.stat().st_mode) & OTHERS for file in (folder, *folder.iterdir()))
    weights.clear()
    assert speech_model("whisper-base") == folder
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]


def test_other_weights_are_refused_and_leave_nothing(weights):
    with pytest.raises(ModelFileError, match="whisper-base"):
        speech_model("whisper-base")
    assert not list((hub_home() / "cache").iterdir())


def test_missing_weights_are_said_with_the_remedy(weights):
    weights.pop(module._PARTS[1])
    with pytest.raises(MissingLibraryError, match=module._PARTS[1]) as raised:
        speech_model("whisper-base")
    assert "speech" in raised.value.remedy


def test_without_the_extra_the_remedy_is_said(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda: False)
    with pytest.raises(MissingLibraryError) as raised:
        speech_model("whisper-base")
    assert "[speech]" in raised.value.remedy


def test_a_folder_is_a_model_where_it_holds_weights(installed, tmp_path):
    with pytest.raises(ModelFileError, match=r"model\.bin"):
        speech_model(str(tmp_path))
    (tmp_path / "model.bin").write_bytes(b"x" * 10)
    assert speech_model(str(tmp_path)) == tmp_path.resolve()
    before = model_fingerprint(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"y" * 10)
    assert model_fingerprint(tmp_path) != before


def test_a_folder_that_is_not_there_is_never_fetched(installed, tmp_path):
    for name in (str(tmp_path / "gone"), "./gone", "~/gone-model", "a/b/c"):
        with pytest.raises(KhubError, match=r"gone|a/b/c") as raised:
            speech_model(name)
        assert raised.value.code == "model_unknown"


def test_a_size_that_no_model_has_is_said():
    needs_speech()
    with pytest.raises(KhubError) as raised:
        speech_model("enormous")
    assert raised.value.code == "model_unknown"
