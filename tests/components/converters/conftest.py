import hashlib
from pathlib import Path

import psutil
import pytest

from khub.components.converters.markitdown_converter import MarkItDownConverter
from tests.components.converters.files import png, word_file, write_pages

# The real worker with a light parser of HTML, PDF and mails, as MarkItDown takes a second to load; but for files whose
# names begin so one that misbehaves; "half-": only with the second half of the pages. Each leaves a file of its name in
# the folder $REACHED.
MISBEHAVING = """
import sys; root, memory_mb = sys.argv[1:]; sys.path.insert(0, root)
import os, pathlib, re, socket, subprocess, time, types
light = types.ModuleType("khub.components.converters.conversion")
light.build_markitdown = lambda engine: None
def light_convert(markitdown, data, name, max_mb, pictures=True, room=None):
    if name.endswith(".pdf"):
        from khub.components.converters.pdf import read_pdf
        return light_pdf(read_pdf(data, name, pictures), name, pictures)
    if name.endswith(".eml"):  # names of what is attached
        for part in data.decode().split(): pathlib.Path(room.folder, part).write_text("x")
        return {"text": "mail", "title": None, "metadata": {"parts": data.decode().split()}}
    return {"text": re.sub("<[^>]*>", "", data.decode().replace("<h1>", "# ")), "title": None}
def light_pdf(text, name, pictures):
    from khub.components.converters.pages import join_pages
    return {"text": join_pages(text.pages)[0], "title": None}
light.convert_bytes, light.finish_pdf, light.convert_by_plugin = light_convert, light_pdf, None
sys.modules[light.__name__] = light
import khub.components.converters.worker_requests as requests
real_convert, real_read = requests.convert_bytes, requests.read_share
def misbehave(name):
    if "REACHED" in os.environ: pathlib.Path(os.environ["REACHED"], name).touch()
    if name.startswith("crash"): os.abort()
    if name.startswith("hang"):
        while True: pass
    if name.startswith("swell"): bytearray(400_000_000)
    if name.startswith("fail"): raise ValueError("a bug")
    if name.startswith("print"): print("x" * 100_000); os.write(1, b"raw")
    if name.startswith("fetch"): socket.create_connection(("127.0.0.1", 9), timeout=1)
    if name.startswith("spawn"): subprocess.run([sys.executable, "-V"])
    if name.startswith("meet"):
        end = time.monotonic() + 20
        while len(os.listdir(os.environ["REACHED"])) < 2:
            if time.monotonic() > end: raise ValueError("nobody came")
            time.sleep(0.01)
def convert_bytes(markitdown, data, name, *more):
    misbehave(name)
    if name.startswith("print"): return {"text": repr(sys.stdin.read()), "title": None}
    return real_convert(markitdown, data, name, *more)
def read_share(data, name, first, *more):
    misbehave(name.removeprefix("half-") if first else name)
    return real_read(data, name, first, *more)
requests.convert_bytes, requests.read_share = convert_bytes, read_share
from khub.components.converters.worker import main
main(int(memory_mb))
"""


def record(path: Path, **more: object) -> dict:
    """The source record of a file, as the integrity check makes it."""
    data = path.read_bytes() if path.is_file() else b""
    return {
        "path": str(path),
        "doc_id": f"id-{path.name}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        **more,
    }


@pytest.fixture(scope="session")
def misbehaving():
    """The start of a worker whose parser crashes, hangs … as the names of files say."""
    return MISBEHAVING


@pytest.fixture
def gone():
    """A function: wait until a process has ended."""

    def run(pid: int) -> bool:
        _, alive = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=30)
        return not alive

    return run


@pytest.fixture(scope="session")
def make_pdf():
    return write_pages


@pytest.fixture(scope="session")
def make_scan():
    """A function: a PDF of so many pages, each of which is a picture."""
    return lambda count: write_pages([""] * count, images=dict.fromkeys(range(count), (0, 0, 612, 792)))


@pytest.fixture(scope="session")
def make_word():
    return word_file


@pytest.fixture(scope="session")
def make_png():
    return png


@pytest.fixture(scope="session")
def source_of():
    return record


@pytest.fixture(scope="module")
def converter():
    component = MarkItDownConverter()
    yield component
    component.close()


@pytest.fixture
def convert(converter, source_of, tmp_path):
    """Write bytes to a file, convert it, return (document, None) or (None, failure)."""

    def run(name: str, data: bytes, with_converter: MarkItDownConverter = converter, **more: object):
        path = tmp_path / name
        path.write_bytes(data)
        result = with_converter.run(sources=[source_of(path, **more)])
        assert result["remaining"] == []
        document = result["documents"][0] if result["documents"] else None
        failure = result["failed"][0] if result["failed"] else None
        assert (document is None) != (failure is None)
        return document, failure

    return run
