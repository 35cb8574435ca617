"""Files of older and other office programs are read through LibreOffice, which may do nothing but that."""

import hashlib
import http.server
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import psutil
import pytest
from pptx import Presentation

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.converters.office import libreoffice
from khub.components.converters.office.libreoffice import check_libreoffice, saved_anew
from khub.components.errors import SourceError
from khub.server.library.ingest import ingest
from tests.components.converters.files import png
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
MODULES = {
    ".doc": "writer", ".dot": "writer", ".odt": "writer", ".ott": "writer", ".rtf": "writer",
    ".xls": "calc", ".xlt": "calc", ".ods": "calc", ".ots": "calc",
    ".ppt": "impress", ".pps": "impress", ".odp": "impress", ".otp": "impress",
}  # fmt: skip
LINKED = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>linked words</text:p>
<text:p><draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="ADDRESS" xlink:type="simple"
 xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p></office:text></office:body></office:document>
"""


@pytest.fixture(autouse=True)
def office(needs_program):
    needs_program("soffice", "libreoffice-writer-nogui")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary folders, of which nothing may stay."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def make_old(tmp_path_factory, needs_program):
    """A function: a file of an older kind with these words, made by LibreOffice out of one of today."""
    folder = tmp_path_factory.mktemp("old")

    def make(extension: str, words: str) -> Path:
        module = MODULES[extension]
        try:
            check_libreoffice(f"a{extension}")
        except SourceError as error:
            pytest.skip(f"{error} (make test-deps)")
        if module == "writer":
            source = folder / "a.html"
            source.write_text(f"<html><body><h1>{words}</h1><p>Paragraph.</p></body></html>", encoding="utf-8")
            options = ["--infilter=HTML (StarWriter)"]
        elif module == "calc":
            source, options = folder / "a.csv", ["--infilter=CSV:44,34,76,1"]
            source.write_text(f"name,price\n{words},12\n", encoding="utf-8")
        else:
            source, options, slides = folder / "a.pptx", [], Presentation()
            slide = slides.slides.add_slide(slides.slide_layouts[5])
            slide.shapes.title.text = words
            slides.save(str(source))
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = ["soffice", profile, "--headless", *options, "--convert-to", extension[1:], "--outdir", str(folder)]
        subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=120)
        return folder / f"a{extension}"

    return make


@pytest.fixture(scope="module")
def converter():
    component = MarkItDownConverter()
    yield component
    component.close()


def record(path: Path) -> dict:
    data = path.read_bytes()
    return {
        "path": str(path), "doc_id": "doc", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "meta": {},
    }  # fmt: skip


def save(path: Path, max_mb: float = 200, timeout_s: float = 60):
    return saved_anew(path, hashlib.sha256(path.read_bytes()).hexdigest(), max_mb, 1500, timeout_s)


@pytest.mark.parametrize("extension", MODULES)
def test_each_kind_is_read_by_the_hubs_own_converter(make_old, converter, temporary, extension):
    old = make_old(extension, "Herons 鹭鸟")
    result = converter.run(sources=[record(old)])
    assert result["failed"] == []
    (document,) = result["documents"]
    assert "Herons 鹭鸟" in document.content
    assert document.meta["source"] == str(old)
    assert document.meta["doc_type"] == {"writer": "docx", "calc": "xlsx", "impress": "pptx"}[MODULES[extension]]
    assert [path.name for path in old.parent.iterdir() if path.name.startswith(".~lock")] == []


def test_what_it_cannot_open_is_told_by_the_files_own_name(tmp_path, converter, temporary):
    broken = tmp_path / "broken.doc"
    broken.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)
    (failure,) = converter.run(sources=[record(broken)])["failed"]
    assert "'broken.doc'" in failure["error"]
    assert "document." not in failure["error"]
    assert failure["remedy"]


@pytest.mark.parametrize("extension", [".xls", ".doc", ".ppt"])
def test_half_a_file_is_damaged_and_another_kind_is_told(make_old, tmp_path, converter, temporary, extension):
    old = make_old(extension, "Herons").read_bytes()
    half, other = tmp_path / f"half{extension}", tmp_path / ("other.doc" if extension != ".doc" else "other.xls")
    half.write_bytes(old[: len(old) // 2])
    other.write_bytes(old)
    damaged, named = converter.run(sources=[record(half), record(other)])["failed"]
    assert "'half" in damaged["error"]
    assert "is damaged" in damaged["error"]
    assert named["remedy"].endswith(extension)


@pytest.mark.parametrize("confined", [True, False])
def test_nothing_is_fetched(tmp_path, temporary, monkeypatch, confined):
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_OPTIONS = do_PROPFIND = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if not confined:  # as where the system gives no network of its own: settings and proxies must do
        open_runner = tmp_path / "runner.py"
        text = Path(libreoffice._RUNNER).read_text(encoding="utf-8")
        open_runner.write_text(text.replace("        _leave_network()\n", ""), encoding="utf-8")
        monkeypatch.setattr(libreoffice, "_RUNNER", str(open_runner))
    linked = tmp_path / "linked.odt"
    address = f"http://127.0.0.1:{server.server_port}/x.png"
    linked.write_text(LINKED.replace("ADDRESS", address), encoding="utf-8")
    try:
        with save(linked) as new:
            assert new.stat().st_size > 0
    finally:
        server.shutdown()
        server.server_close()
    assert asked == []


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_no_picture_of_the_machine_is_taken_in(tmp_path, temporary):
    """A field of an RTF file names a picture by its path, and LibreOffice would put it in."""
    other = tmp_path / "other.png"
    other.write_bytes(png(123, 77))
    field = rf'{{\field{{\*\fldinst INCLUDEPICTURE "{other.as_uri()}" \\d}}{{\fldrslt x}}}}'
    old = tmp_path / "a.rtf"
    old.write_text(rf"{{\rtf1 words {field}}}", encoding="ascii")
    with save(old) as new, zipfile.ZipFile(new) as parts:
        assert b"words" in parts.read("word/document.xml")
        assert other.read_bytes() not in [parts.read(name) for name in parts.namelist()]


def test_it_sees_no_secret_of_the_hub(temporary, fake, monkeypatch):
    monkeypatch.setenv("KHUB_LLM_API_KEY", "hidden")
    old, said = fake('env > "$REPORT"')
    with pytest.raises(SourceError), save(old):
        pass
    assert "hidden" not in said.read_text()
    assert "http_proxy=http://127.0.0.1:9" in said.read_text()


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A function: a script in the place of LibreOffice; returns a file to save, and the one it reports to."""

    def install(script: str) -> tuple[Path, Path]:
        report, old, program = tmp_path / "report", tmp_path / "a.doc", tmp_path / "bin" / "soffice"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\nREPORT={report}\n{script}\n", encoding="utf-8")
        program.chmod(0o700)
        old.write_bytes(b"words")
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        return old, report

    return install


STUCK = 'sleep 600 & echo $! > "$REPORT.new"; mv "$REPORT.new" "$REPORT"; trap "" TERM; sleep 600'


@pytest.mark.skipif(sys.platform == "win32", reason="a script for sh")
def test_what_takes_too_long_ends_with_all_that_it_started(temporary, fake):
    old, report = fake(STUCK)
    with raises_code("source_timeout", "6 s", "'a.doc'"), save(old, timeout_s=6):
        pass
    assert has_ended(int(report.read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="a script for sh")
def test_it_ends_with_the_hub_and_leaves_nothing(tmp_path, fake):
    old, report = fake(STUCK)
    folder = tmp_path / "temporary"
    folder.mkdir()
    program = (
        "import hashlib, sys; from pathlib import Path; "
        "from khub.components.converters.office.libreoffice import saved_anew; old = Path(sys.argv[1]); "
        "saved_anew(old, hashlib.sha256(old.read_bytes()).hexdigest(), 200, 1500, 60).__enter__()"
    )
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    hub = subprocess.Popen([sys.executable, "-c", program, str(old)], env=environment, start_new_session=True)
    until(report.exists)
    assert list(folder.iterdir())
    os.killpg(hub.pid, signal.SIGKILL)
    hub.wait()
    assert has_ended(int(report.read_text()))
    until(lambda: not list(folder.iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_what_comes_of_it_is_bounded(temporary, fake):
    old, _ = fake("mkdir new; cd new; head -c 3000000 /dev/zero > document.docx || rm document.docx")
    with save(old, max_mb=10) as new:
        assert new.stat().st_size == 3_000_000
    with pytest.raises(SourceError, match="cannot open"), save(old, max_mb=1):
        pass


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_failed_for_want_of_it_is_read_once_it_is_there(make_old, tmp_path, monkeypatch, dry_run):
    from khub.server.library.ingest_preview import preview_ingest

    folder = tmp_path / "files"
    folder.mkdir()
    shutil.copy(make_old(".odt", "Herons"), folder / "old.odt")
    with monkeypatch.context() as without:
        without.setattr(libreoffice, "_office", lambda: None)
        if dry_run:
            (failure,) = preview_ingest([str(folder)], "x").failed
        else:
            (failure,) = ingest([str(folder)], "x").failed
        assert "not installed" in failure["error"]
    if dry_run:
        assert preview_ingest([str(folder)], "x").new == [str(folder / "old.odt")]
    else:
        assert len(ingest([str(folder)], "x").written) == 1


def until(condition, seconds: float = 30) -> None:
    done = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        done.wait(0.05)
    raise AssertionError(f"not within {seconds} s")


def has_ended(pid: int) -> bool:
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True
