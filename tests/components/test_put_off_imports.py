"""What libraries load with themselves comes when it is used, and then as it is."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from khub.components.put_off_imports import PutOffImports

LIBRARY = """\
import heavy_one
from heavy_two import made
TITLE = "a library"
def used():
    heavy_one.set_here = 7
    return heavy_one.value, made(2, and_more=3)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library and two modules that it loads with itself; its name."""
    (tmp_path / "light_library.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "heavy_one.py").write_text("value = 5\n", encoding="utf-8")
    (tmp_path / "heavy_two.py").write_text("def made(one, and_more): return one * and_more\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    put_off = PutOffImports({"light_library": {"heavy_one": (), "heavy_two": ("made",)}})
    monkeypatch.setattr(sys, "meta_path", [put_off, *sys.meta_path])
    for name in ("light_library", "heavy_one", "heavy_two"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "light_library"


@pytest.mark.unit
def test_a_module_is_loaded_when_something_of_it_is_used(library: str) -> None:
    assert importlib.util.find_spec(library) is not None  # who only asks whether it is there changes nothing
    loaded = importlib.import_module(library)
    assert loaded.TITLE == "a library"
    assert not {"heavy_one", "heavy_two"} & {*sys.modules}

    assert loaded.used() == (5, 6)
    assert sys.modules["heavy_one"].set_here == 7


@pytest.mark.unit
def test_others_get_the_module_itself(library: str) -> None:
    loaded = importlib.import_module(library)
    heavy = importlib.import_module("heavy_one")

    assert (heavy.value, heavy.__file__) == (5, str(Path(loaded.__file__ or "").with_name("heavy_one.py")))
    assert loaded.heavy_one.value == 5


@pytest.mark.unit
def test_one_that_is_missing_is_missing(library: str, tmp_path: Path) -> None:
    (tmp_path / "heavy_one.py").unlink()

    with pytest.raises(ModuleNotFoundError, match="heavy_one"):
        importlib.import_module(library)


@pytest.mark.integration
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_haystack_has_torch_when_it_asks_for_it() -> None:
    code = (
        "import json, sys, khub.components, haystack, chromadb\n"
        "before = [m for m in ('torch', 'posthog', 'grpc') if m in sys.modules]\n"
        "from haystack.utils import ComponentDevice\n"
        "device = ComponentDevice.from_str('cpu').to_torch()\n"
        "import torch.nn\n"
        "print(json.dumps([before, str(device), isinstance(device, torch.device)]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[], "cpu", True]
