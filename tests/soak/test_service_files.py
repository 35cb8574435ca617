"""Files with names and contents that are made to do harm, sent to a service."""

import io
import random
import shutil
import time
import zipfile
from functools import cache
from pathlib import Path

import openpyxl
import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from tests.components.converters.files import word_file
from tests.server.hub_files import edit
from tests.soak.memory import watched
from tests.soak.service import JOB_ENDED, ROOT, ended, note, part, send, serving

pytestmark = pytest.mark.soak
LONG = "长" * 500 + ".md"
NAMES = [
    "../../up.md", "..\\..\\back.md", "/etc/abs.md", "C:\\Windows\\drive.md", "nul\x00byte.md", "bell\x07\x1b[2J.md",
    "CON.md", "com1.txt", "报销制度.md", "🦉 owls 🦉.md", "abc\u202efdp.md", "....//....//dots.md",
    "a%2f..%2fpercent.md",     "~root.md", "-rf.md", "$(id).md", "file:stream.md", "trailing. .md", LONG,
]  # fmt: skip
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n"
EXE = b"MZ\x90\x00\x03\x00\x00\x00" + bytes(random.Random(1).randbytes(4000))
HTML = b"<!doctype html><html><body><script>alert(1)</script><p>Herons wade.</p></body></html>"
MB = 1_000_000
SCHEMAS = b"http://schemas.openxmlformats.org/"
HEAD_OF_WORD = b'<w:document xmlns:w="' + SCHEMAS + b'wordprocessingml/2006/main"><w:body>'
HEAD_OF_SHEET = b'<worksheet xmlns="' + SCHEMAS + b'spreadsheetml/2006/main"><sheetData>'


def test_names_lead_nowhere(tmp_path: Path) -> None:
    before = everything(tmp_path)
    with serving(tmp_path) as service, service.client() as client:
        contents = [f"# Note {n}\n\nThis is what note {n} says.\n".encode() for n in range(len(NAMES))]
        # a client that wants to do harm does not escape what breaks a header
        files = [part(name) + content for name, content in zip(NAMES, contents, strict=True)]
        job = ended(client, send(client, *files))
        assert send(client, part("/x/same.md") + b"# 1\n\n1", part("../y/same.md") + b"# 2\n\n2").status_code == 422
        listed = client.get("/documents", params={"limit": 100}).json()["documents"]
        uploads = hub_home() / "uploads" / "default"
        assert job["result"]["written"] == len(NAMES) == len(listed)
        sources = [Path(row["source"]) for row in open_catalog().documents.of_collection("default")]
        assert all(source.parent == uploads for source in sources)
        assert {one["source"] for one in listed} == {source.name for source in sources}
        kept = [path.name for path in uploads.iterdir()]
        assert len(kept) == len(NAMES)
        assert all(len(name.encode()) <= 200 and name.isprintable() for name in kept)
        assert service.written_beside() == []
    outside = everything(tmp_path) - before - everything(hub_home())
    assert {path.relative_to(tmp_path).parts[0] for path in outside} <= {"here", "temp", "user", "service.log", "hub"}
    note(f"{len(NAMES)} names that lead elsewhere", f"{len(kept)} documents, nothing outside of the hub", "the same")


def everything(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


LIES = {
    "pdf-as.md": PDF,
    "binary-pdf-as.md": PDF.replace(b"\n1 0", b"\n%\xe2\xe3\xcf\xd3\x00\n1 0"),
    "exe-as.pdf": EXE,
    "exe-as.txt": EXE,
    "html-as.txt": HTML,
    "html-as.docx": HTML,
    "text-as.xlsx": b"just words",
}


def test_files_that_are_not_what_they_are_called(tmp_path: Path) -> None:
    lies = {**LIES, "docx-as.md": zipped({"word/document.xml": b"<w/>" * 100})}
    with serving(tmp_path) as service, service.client() as client:
        job = ended(client, send(client, *(part(name) + data for name, data in lies.items())))
        failures = {Path(one["source"]).name: one["error"] for one in job["result"]["failures"]}
        listed = client.get("/documents", params={"limit": 100}).json()["documents"]
    assert set(failures) == set(lies) - {"html-as.txt"}  # which is text
    assert [one["doc_type"] for one in listed if one["status"] == "ready"] == ["text"]
    figures = f"{len(failures)} fail, each with its reason; HTML called .txt is read as it is"
    note(f"{len(lies)} files of another type than their name says", figures, "no name is believed")


def test_files_that_swell_hurt_nobody_else(tmp_path: Path) -> None:
    graphs = tmp_path / "graphs"
    shutil.copytree(ROOT / "pipelines", graphs)
    edit(graphs / "ingest_fast.yaml", "timeout_s: 60", "timeout_s: 20")
    good = part("good.md") + b"# Herons\n\nHerons wade in shallow water.\n"
    seconds = []
    with (
        serving(tmp_path, KHUB_PIPELINES=str(graphs)) as service,
        service.client() as client,
        watched(service) as peak,
    ):
        client.timeout = 300
        reply = send(client, *(part(name) + data for name, data in bombs().items()), good)
        began = time.monotonic()
        while client.get(reply.headers["location"]).json()["state"] not in JOB_ENDED:
            asked = time.monotonic()
            assert client.get("/collections").status_code == 200
            seconds.append(time.monotonic() - asked)
            assert time.monotonic() < began + 200
            time.sleep(0.2)
        job_s = time.monotonic() - began
        job = client.get(reply.headers["location"]).json()
        failures = {Path(one["source"]).name: one["error"] for one in job["result"]["failures"]}
        found = client.post("/query/run", json={"query": "Where do herons wade?"}).json()["citations"]
    assert set(failures) == set(bombs())
    assert job["result"]["written"] == 1
    assert "shallow" in found[0]["text"]
    assert peak.grown < 300
    assert peak.children < 2200
    assert max(seconds) < 2
    figures = f"all fail after {job_s:.0f} s; +{peak.grown:.0f} MB; largest process of the job {peak.children:.0f} MB"
    note("4 packed files that swell", f"{figures}; slowest answer beside {max(seconds):.2f} s", "2,200 MB; 2 s")


@cache
def bombs() -> dict[str, bytes]:
    zeros, noise = bytes(450 * MB), random.Random(1).randbytes(3 * MB)
    word, sheet = io.BytesIO(word_file("")), io.BytesIO()
    openpyxl.Workbook().save(sheet)
    paragraphs = HEAD_OF_WORD + b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * (12 * MB) + b"</w:body></w:document>"
    rows = HEAD_OF_SHEET + b"<row><c><v>1</v></c></row>" * (15 * MB) + b"</sheetData></worksheet>"
    return {
        "zeros.docx": zipped({"word/document.xml": zeros}),
        "nested.docx": zipped({"word/document.xml": b"<w/>", "inner.zip": zipped({"a": zipped({"b": zeros})})}),
        "paragraphs.docx": zipped({**unzipped(word), "word/document.xml": paragraphs, "word/media/noise": noise}),
        "rows.xlsx": zipped({**unzipped(sheet), "xl/worksheets/sheet1.xml": rows, "xl/media/noise": noise}),
    }


def zipped(entries: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return packed.getvalue()


def unzipped(packed: io.BytesIO) -> dict[str, bytes]:
    with zipfile.ZipFile(packed) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
