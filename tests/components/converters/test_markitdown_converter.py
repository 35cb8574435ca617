import gc
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest
from haystack import Pipeline

from khub.components.converters import worker_process
from khub.components.converters.hidden_text import without_hidden_text
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.errors import GraphError
from khub.components.extras import install_extra

HTML = b"<html><title>Greeting</title><body><h1>Hello</h1></body></html>"


@pytest.fixture
def light_worker(monkeypatch, misbehaving):
    """Workers start in no time, and misbehave with files of certain names."""
    monkeypatch.setattr(worker_process, "_START", misbehaving)


@pytest.fixture
def files(source_of, tmp_path):
    """A function: write files, return their source records."""

    def write(contents):
        for name, data in contents.items():
            (tmp_path / name).write_bytes(data)
        return [source_of(tmp_path / name) for name in contents]

    return write


@pytest.mark.unit
def test_markdown_document(convert):
    document, _ = convert(
        "a b.md", "---\ntitle: From matter\n---\r\n\r\n# 标题\r\n".encode(), meta={"team": "x", "source": "fake"}
    )
    assert document.content == "# 标题\n"
    assert document.meta["title"] == "From matter"
    assert document.meta["doc_type"] == "markdown"
    assert document.meta["doc_id"] == "id-a b.md"
    assert document.meta["team"] == "x"
    assert document.meta["source"].endswith("a b.md")
    assert document.meta["size"] == 40
    assert len(document.meta["sha256"]) == 64
    assert "page_starts" not in document.meta


@pytest.mark.unit
def test_title_of_markdown_is_its_first_heading(convert):
    assert convert("a.md", b"intro\n\n# One\n\n# Two\n")[0].meta["title"] == "One"
    assert convert("a.md", b"no heading")[0].meta["title"] is None


@pytest.mark.unit
def test_code_stays_as_it_is(convert):
    code = "# comment\ndef f():\n\treturn '中'  \n"
    document, _ = convert("a.py", code.encode())
    assert document.content == code
    assert (document.meta["doc_type"], document.meta["title"]) == ("code", None)


@pytest.mark.unit
@pytest.mark.parametrize("name", ["LICENSE", "notes.xyz", "数据 文件.unknown", "-rf", "new\nline.txt", "a'b\".txt"])
@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_any_name_will_do_for_text(convert, name):
    document, _ = convert(name, "plain 文本".encode())
    assert document.content == "plain 文本"
    assert document.meta["doc_type"] == "text"


@pytest.mark.unit
@pytest.mark.parametrize(
    ("name", "data", "error", "remedy"),
    [
        ("a.bin", b"\x00\x01", "unknown type '.bin'", "use PDF"),
        ("a.raw", "中文".encode("gbk"), "unknown type", "DOCX"),
        ("a.txt", b"abc\x00", "not a text file", "check"),
        ("a.md", b" \n\n", "has no text", "leave it out"),
        ("a.md", b"---\ntitle: only\n---\n", "has no text", "leave it out"),
        ("a.wps", b"{\\rtf1 text}", "'.wps', which is not read", "save it as .docx"),
        ("a.heic", b"ftypheic", "'.heic', which is not read", "save it as .jpg"),
        ("a.pdf", b"", "is empty", "leave it out"),
    ],
)
def test_failures_name_thing_and_remedy(convert, name, data, error, remedy):
    _, failure = convert(name, data)
    assert failure["source"].endswith(name)
    assert failure["stage"] == "convert"
    assert repr(name) in failure["error"]
    assert error in failure["error"]
    assert remedy in failure["remedy"]


@pytest.mark.unit
def test_max_mb(convert):
    data = b"word " * 300_000
    assert convert("a.txt", data, MarkItDownConverter(max_mb=2))[0]
    assert "limit of 1 MB" in convert("a.txt", data, MarkItDownConverter(max_mb=1))[1]["error"]


@pytest.mark.unit
def test_batch_bounded_by_characters(files):
    sources = files({f"{i}.txt": b"x" * 100 for i in range(5)})
    paths = [source["path"] for source in sources]
    for limit, reached in ((1, 1), (100, 1), (101, 2), (250, 3), (10_000, 5)):
        result = MarkItDownConverter(max_batch_characters=limit, workers=1).run(sources=sources)
        assert [d.meta["source"] for d in result["documents"]] == paths[:reached]
        assert result["remaining"] == paths[reached:]
        # What other workers have begun by then is finished.
        more = MarkItDownConverter(max_batch_characters=limit, workers=3).run(sources=sources)
        assert reached <= len(more["documents"]) <= reached + 2
        assert [*(d.meta["source"] for d in more["documents"]), *more["remaining"]] == paths


@pytest.mark.unit
def test_batch_bounded_by_seconds(files):
    sources = files(dict.fromkeys(("1.txt", "2.txt", "3.txt"), b"x"))
    result = MarkItDownConverter(max_batch_seconds=0, workers=1).run(sources=sources)
    assert (len(result["documents"]), len(result["remaining"])) == (1, 2)


@pytest.mark.unit
def test_no_sources():
    assert MarkItDownConverter().run(sources=[]) == {"documents": [], "pictures": [], "failed": [], "remaining": []}


@pytest.mark.unit
def test_file_changed_since_it_was_recorded(converter, files):
    changed = ("a.md", "a.html")
    sources = files(dict.fromkeys(changed, b"old"))
    files(dict.fromkeys(changed, b"new"))
    failed = converter.run(sources=sources)["failed"]
    assert ["changed" in failure["error"] for failure in failed] == [True, True]
    assert failed[0]["remedy"] == failed[1]["remedy"] == "ingest it again"


@pytest.mark.integration
def test_text_needs_no_worker_and_import_no_markitdown():
    code = (
        "import sys; from khub.components.converters.markitdown_converter import MarkItDownConverter; "
        "import khub.components.converters.file_types, khub.components.ingest.collection_writer; "
        "sys.exit('markitdown' in sys.modules or 'pypdfium2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.unit
def test_survives_a_graph_file():
    given = {"timeout_s": 5.0, "max_mb": 3, "memory_mb": 700, "max_batch_characters": 9, "max_batch_seconds": 1.5}
    given |= {"pictures": False, "workers": 3, "pdf_engine": "markitdown", "plugins": ["khub_pdf"], "speech": None}
    pipeline = Pipeline()
    pipeline.add_component("convert", MarkItDownConverter(**given))
    data = pipeline.to_dict()["components"]["convert"]
    assert data["init_parameters"] == given
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"])
    assert loaded.get_component("convert").memory_mb == 700


@pytest.mark.unit
@pytest.mark.parametrize(
    ("given", "error", "remedy"),
    [
        ({"workers": 0}, "workers=0", "1 or more"),
        ({"pdf_engine": "other"}, "pdf_engine='other'", "khub, markitdown"),
    ],
)
def test_parameters_that_cannot_be(given, error, remedy):
    with pytest.raises(GraphError, match=error) as caught:
        MarkItDownConverter(**given)
    assert remedy in caught.value.remedy


@pytest.mark.integration
@pytest.mark.parametrize("name", ["中文 名.html", "-x.html", "two\nlines.html", "UPPER.HTML"])
@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_names_reach_the_worker(convert, name):
    document, _ = convert(name, HTML)
    assert document.content == "# Hello"
    assert document.meta["title"] == "Greeting"


@pytest.mark.integration
def test_bad_and_good_files_in_one_run(converter, files, make_pdf):
    bad = {"2.pdf": b"%PDF", "3.pdf": make_pdf([""])}
    result = converter.run(sources=files({"1.pdf": make_pdf(["fine"]), **bad, "4.html": HTML, "5.md": b"# M"}))
    assert [document.content for document in result["documents"]] == ["fine", "# Hello", "# M"]
    assert [failure["source"][-5:] for failure in result["failed"]] == ["2.pdf", "3.pdf"]


@pytest.mark.integration
def test_pdf_engine(convert, converter, make_pdf):
    component = MarkItDownConverter(pdf_engine="markitdown")
    component._pool = converter._pool  # its workers know all engines
    document, _ = convert("a.pdf", make_pdf(["one", "two"]), component)
    assert "two" in document.content
    assert not {"page_starts", "page_count", "blocks"} & set(document.meta)


@pytest.mark.integration
def test_pictures(converter, files, make_pdf, make_scan):
    data = make_pdf(["Some text", "More"], images={0: (100, 200, 300, 300)})
    sources = files({"a.pdf": data, "scan.pdf": make_scan(1)})
    result = converter.run(sources=sources)
    first, scan = result["documents"]
    assert first.content == "Some text\n\n[IMAGE: id-a.pdf_1_1]\n\nMore"
    assert first.content[first.meta["page_starts"][1] :] == "More"
    assert [first.content[block["start"] : block["end"]] for block in first.meta["blocks"]] == [
        "Some text", "[IMAGE: id-a.pdf_1_1]", "More",
    ]  # fmt: skip
    assert (scan.content, scan.meta["needs_ocr"]) == ("", [1])
    assert [(one.image_id, one.source, one.picture.kind) for one in result["pictures"]] == [
        ("id-a.pdf_1_1", sources[0]["path"], "raster"),
        ("id-scan.pdf_1_1", sources[1]["path"], "page"),
    ]

    without = MarkItDownConverter(pictures=False)
    without._pool = converter._pool
    result = without.run(sources=sources)
    assert result["pictures"] == []
    assert "IMAGE" not in result["documents"][0].content
    assert "is scanned" in result["failed"][0]["error"]
    assert install_extra("ocr") in result["failed"][0]["remedy"]


@pytest.mark.integration
@pytest.mark.parametrize("workers", [1, 2])
def test_workers(files, monkeypatch, misbehaving, tmp_path, workers):
    reached = tmp_path / "reached"
    reached.mkdir()
    monkeypatch.setenv("REACHED", str(reached))
    monkeypatch.setattr(worker_process, "_START", misbehaving.replace("+ 20", "+ 20" if workers == 2 else "+ 1"))
    names = ["meet-1.html", "meet-2.html", "a.md", "b.html"]
    component = MarkItDownConverter(workers=workers)
    result = component.run(sources=files(dict.fromkeys(names, HTML)))
    assert len(component._pool.pids) == workers
    component.close()
    converted = [Path(document.meta["source"]).name for document in result["documents"]]
    assert converted == (names if workers == 2 else names[1:])  # alone, the first waits for the second in vain


@pytest.mark.integration
def test_time_limit(light_worker, files):
    component = MarkItDownConverter(timeout_s=1)
    result = component.run(sources=files({"hang.html": HTML, "small.html": HTML}))
    component.close()
    assert "1 s" in result["failed"][0]["error"]
    assert len(result["documents"]) == 1


@pytest.mark.integration
def test_an_attached_file_has_its_own_limits_and_fails_alone(light_worker, files, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    (mail,) = files({"a.eml": b"crash.html hang.html fail.html fine.html"})
    component = MarkItDownConverter(timeout_s=1)
    result = component.run(sources=[{**mail, "collection": "default", "meta": {"team": "x"}}])
    component.close()
    path = mail["path"]
    assert [one["source"] for one in result["failed"]] == [f"{path}!/{name}.html" for name in ("crash", "hang", "fail")]
    assert [document.meta["source"] for document in result["documents"]] == [f"{path}!/fine.html", path]
    assert [document.meta["team"] for document in result["documents"]] == ["x", "x"]
    assert len(list(folder.iterdir())) == 1
    del result
    gc.collect()
    assert list(folder.iterdir()) == []


@pytest.mark.integration
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
@pytest.mark.parametrize(("memory_mb", "fits"), [(20, False), (1500, True)])
def test_memory_limit(light_worker, convert, memory_mb, fits):
    component = MarkItDownConverter(memory_mb=memory_mb)
    _, failure = convert("swell.html", HTML, component)
    component.close()
    assert fits == (failure is None)
    assert fits or "20 MB" in failure["error"]


@pytest.mark.integration
def test_a_pipeline_closes_the_worker(light_worker, files):
    component = MarkItDownConverter()
    pipeline = Pipeline()
    pipeline.add_component("convert", component)
    result = pipeline.run({"convert": {"sources": files({"a.html": HTML})}})
    assert "# Hello" in result["convert"]["documents"][0].content
    pid = component._pool.pids[0]
    assert psutil.pid_exists(pid)
    pipeline.close()
    assert not psutil.pid_exists(pid)


@pytest.mark.integration
def test_a_dropped_component_takes_its_worker_along(light_worker, files):
    component = MarkItDownConverter()
    component.run(sources=files({"a.html": HTML}))
    pid = component._pool.pids[0]
    del component
    gc.collect()
    assert not psutil.pid_exists(pid)


@pytest.mark.integration
def test_the_end_of_the_program_ends_the_worker(misbehaving, tmp_path):
    (tmp_path / "a.html").write_bytes(HTML)
    code = (
        "import sys, hashlib; from khub.components.converters.markitdown_converter import MarkItDownConverter as M\n"
        "from khub.components.converters import worker_process; worker_process._START = sys.argv[2]\n"
        "data = open(sys.argv[1], 'rb').read(); m = M()\n"
        "r = m.run(sources=[dict(path=sys.argv[1], doc_id='x', sha256=hashlib.sha256(data).hexdigest(), size=1)])\n"
        "assert r['documents'], r\nsys.stdout.write(str(m._pool.pids[0]))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.html"), misbehaving]
    done = subprocess.run(command, capture_output=True, check=True)
    assert not psutil.pid_exists(int(done.stdout))
    assert done.stderr == b""


@pytest.mark.unit
def test_what_hides_or_reorders_text_goes_and_is_noted(convert):
    data = "---\nauthor: Al\u202eice\n---\n# Ti\u200btle\n\nA\U000e0041\U000e0042 👩‍👩‍👧 می‌خواهم\tB\x1b[2J\n".encode()
    document, _ = convert("a.md", data)
    assert document.content.split("\n") == ["# Title", "", "A 👩‍👩‍👧 می‌خواهم\tB", ""]
    assert (document.meta["title"], document.meta["author"]) == ("Title", "Alice")
    assert list(document.meta["removed"].values()) == [3]
    assert "removed" not in convert("b.md", "# 标题\n\n👩‍👩‍👧".encode())[0].meta


@pytest.mark.unit
def test_a_guess_at_the_encoding_and_what_is_broken_are_noted(convert):
    for name in ("a.txt", "a.csv"):
        meta = convert(name, "编号,名称\n1,水泵\n".encode("gbk"))[0].meta
        assert meta["guessed_encoding"] == "gb18030"
        assert "removed" not in meta
        meta = convert(name, "编号,名称\n1,水泵和阀门的流量".encode() + b"\xff\n")[0].meta
        assert "guessed_encoding" not in meta
        assert list(meta["removed"].values()) == [1]


@pytest.mark.unit
def test_form_feeds_begin_pages_of_text_alone(convert):
    assert convert("a.txt", b"one\n\ftwo\n")[0].meta["page_starts"] == [0, 5]
    code, _ = convert("a.c", b"int a;\n\f\nint b;\n")
    assert "page_starts" not in code.meta
    assert code.content == "int a;\n\n\nint b;\n"


@pytest.mark.unit
def test_captions_are_what_is_said(convert):
    captions = b"1\n00:00:01,000 --> 00:00:02,000\nThe pump\n\n2\n00:00:02,100 --> 00:00:04,000\nis on.\n"
    document = convert("Pump talk.srt", captions)[0]
    assert document.content == "[0:01] The pump is on.\n"
    assert document.meta["title"] == "Pump talk"


@pytest.mark.unit
def test_offsets_move_with_what_goes():
    fields = {
        "text": "a\u202eb\n\nc\u200bd", "title": None, "page_starts": [0, 5],
        "blocks": [{"start": 0, "end": 3}, {"start": 5, "end": 8}],
    }  # fmt: skip
    clean = without_hidden_text(fields)
    assert [clean["text"][block["start"] : block["end"]] for block in clean["blocks"]] == ["ab", "cd"]
    assert (clean["text"], clean["page_starts"]) == ("ab\n\ncd", [0, 4])
