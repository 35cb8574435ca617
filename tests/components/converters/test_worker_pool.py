import hashlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.converters import worker_pool, worker_process
from khub.components.converters.worker_pool import WorkerPool
from khub.components.errors import KhubError, SourceError

pytestmark = pytest.mark.integration

LOCK = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'41' * 32}> /U <{'42' * 32}> /P -4 >> /ID [<00> <00>]"


@pytest.fixture
def ask(tmp_path):
    def run(pool: WorkerPool, name: str, data: bytes, timeout_s: float = 60, **more: object):
        path = tmp_path / name
        path.write_bytes(data)
        return pool.convert(str(path), hashlib.sha256(data).hexdigest(), 10, timeout_s, **more)

    return run


@pytest.fixture(scope="module")
def alone():
    pool = WorkerPool(1, 1000)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def two():
    pool = WorkerPool(2, 1000)
    yield pool
    pool.close()


@pytest.fixture(autouse=True)
def every_pdf_is_large(monkeypatch):
    monkeypatch.setattr(worker_pool, "SHARED_FROM_BYTES", 0)


@pytest.fixture
def hostile(monkeypatch, misbehaving, tmp_path):
    monkeypatch.setattr(worker_process, "_START", misbehaving)
    reached = tmp_path / "reached"
    reached.mkdir()
    monkeypatch.setenv("REACHED", str(reached))
    pool = WorkerPool(2, 1000)
    yield pool
    pool.close()


def report(make_pdf, pages: int = 11, **more) -> bytes:
    """Pages with a header on some, numbers, cut words, pictures; one blank."""
    texts = [
        f"{'Annual report' if number in (2, 5, 7) else f'Part {number}'}\n\n\n{number}. Section\n"
        "Many words fill this line until it has no more room for another, all of them very inter-\n"
        f"esting to read on page {number}\n- one\n- two interesting items\n({number + 1})"
        for number in range(pages)
    ]
    texts[3:4] = [""]
    images = {2: (100, 200, 200, 200), 5: (100, 100, 300, 300), 6: (300, 200, 200, 200)}
    return make_pdf(texts, title="Report", images=images, **more)


@pytest.mark.parametrize("pictures", [True, False])
def test_halves_give_what_one_worker_gives(alone, two, ask, make_pdf, pictures):
    data = report(make_pdf, missing=(8,))
    expected = ask(alone, "a.pdf", data, pictures=pictures)
    shared = ask(two, "a.pdf", data, pictures=pictures)
    assert shared == expected
    assert len(two.pids) == 2
    assert shared["page_count"] == 11
    assert (shared["empty_pages"], shared["damaged_pages"]) == ([4], [9])
    assert {"header/footer lines", "joined hyphens"} <= set(shared["removed"])  # found on pages of both halves
    assert [picture["page"] for picture in shared.get("pictures", [])] == ([3, 6, 7] if pictures else [])


@pytest.mark.parametrize("pages", [1, 2])
def test_few_pages(alone, two, ask, make_pdf, pages):
    data = make_pdf(["Page one", "Page two"][:pages])
    shared = ask(two, "a.pdf", data)
    assert shared == ask(alone, "a.pdf", data)
    assert shared["page_count"] == pages


def test_scans_by_halves(alone, two, ask, make_scan):
    shared = ask(two, "a.pdf", make_scan(3))
    assert shared == ask(alone, "a.pdf", make_scan(3))
    assert shared["needs_ocr"] == [1, 2, 3]
    with pytest.raises(SourceError, match="is scanned"):
        ask(two, "a.pdf", make_scan(3), pictures=False)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda make: make([]), "damaged or no PDF"),
        (lambda make: b"%PDF-1.4 nothing more", "its structure cannot be read"),
        (lambda make: make(["one", "two"], missing=(0, 1)), "none of its pages"),
        (lambda make: make(["secret"] * 4, trailer=LOCK), "is encrypted"),
        (lambda make: make(["", "", ""]), "has no text"),
    ],
)
def test_what_is_wrong_with_a_large_pdf_is_said(alone, two, ask, make_pdf, data, message):
    said = []
    for pool in (alone, two):
        with pytest.raises(SourceError, match=message) as caught:
            ask(pool, "a.pdf", data(make_pdf))
        said.append((caught.value.message, caught.value.remedy))
    assert said[0] == said[1]
    assert ask(two, "b.pdf", make_pdf(["fine", "pages"]))["text"] == "fine\n\npages"


def test_only_a_large_pdf_takes_a_second_worker(hostile, ask, make_pdf, monkeypatch):
    ask(hostile, "a.html", b"<h1>Hello</h1>")
    ask(hostile, "a.pdf", make_pdf(["one", "two"]), pdf_engine="markitdown")
    monkeypatch.setattr(worker_pool, "SHARED_FROM_BYTES", 1_000_000)
    ask(hostile, "a.pdf", make_pdf(["one", "two"]))
    assert len(hostile.pids) == 1
    monkeypatch.setattr(worker_pool, "SHARED_FROM_BYTES", 100)
    ask(hostile, "a.pdf", make_pdf(["one", "two"]))
    assert len(hostile.pids) == 2


@pytest.mark.parametrize("name", ["half-crash.pdf", "half-swell.pdf", "half-fail.pdf"])
def test_a_lost_helper_is_done_without(hostile, ask, make_pdf, name):
    data = make_pdf(["one", "two", "three"])
    for worker in hostile._all:
        worker.memory_mb = 300
    assert ask(hostile, name, data)["text"] == "one\n\ntwo\n\nthree"
    assert ask(hostile, "b.pdf", data)["text"] == "one\n\ntwo\n\nthree"
    assert len(hostile.pids) == 2


@pytest.mark.parametrize(
    ("name", "timeout_s", "message"),
    [
        ("crash.pdf", 60, "the parser crashed on 'crash.pdf'"),
        ("hang.pdf", 2, "'hang.pdf' took longer than 2 s"),
        ("half-hang.pdf", 2, "'half-hang.pdf' took longer than 2 s"),
        ("fail.pdf", 60, "a bug"),
    ],
)
def test_a_bad_file_costs_that_file_only(hostile, ask, make_pdf, name, timeout_s, message):
    data = make_pdf(["one", "two", "three"])
    ask(hostile, "b.pdf", data)  # a helper that has not begun in time would be done without
    with pytest.raises(SourceError, match=message) as caught:
        ask(hostile, name, data, timeout_s=timeout_s)
    assert caught.value.remedy
    assert ask(hostile, "b.pdf", data)["text"] == "one\n\ntwo\n\nthree"
    assert len(hostile.pids) == 2


def test_files_at_the_same_time(hostile, ask):
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(ask, hostile, f"meet-{n}.html", b"<p>%d</p>" % n) for n in range(2)]
        assert [future.result()["text"] for future in asked] == ["0", "1"]
    assert len(set(hostile.pids)) == 2


def test_more_files_than_workers(two, ask, make_pdf):
    with ThreadPoolExecutor(6) as threads:
        asked = [
            threads.submit(ask, two, f"{n}.{kind}", data)
            for n in range(6)
            for kind, data in (("html", b"<p>%d</p>" % n), ("pdf", make_pdf([f"{n}", "end"])))
        ]
        texts = [future.result()["text"] for future in asked]
    assert texts == [text for n in range(6) for text in (f"{n}", f"{n}\n\nend")]
    assert len(two.pids) == 2


@pytest.mark.parametrize("name", ["hang.html", "hang.pdf", "half-hang.pdf"])
def test_closed_while_converting(hostile, ask, make_pdf, gone, tmp_path, name):
    caught = []

    def convert() -> None:
        try:
            ask(hostile, name, make_pdf(["one", "two"]))
        except SourceError as error:
            caught.append(error)

    thread = threading.Thread(target=convert)
    thread.start()
    end = time.monotonic() + 60
    while not (tmp_path / "reached" / name.removeprefix("half-")).exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    pids = hostile.pids
    hostile.close()
    thread.join(timeout=60)
    assert all(map(gone, pids))
    assert hostile.pids == []
    assert "was stopped" in caught[0].message
    assert caught[0].remedy == "ingest it again"
    assert ask(hostile, "b.pdf", make_pdf(["one", "two"]))["text"] == "one\n\ntwo"


@pytest.mark.parametrize("name", ["a.html", "a.pdf"])
def test_workers_that_cannot_start(ask, make_pdf, monkeypatch, name):
    monkeypatch.setattr(worker_process, "_START", "raise SystemExit(3)")
    pool = WorkerPool(2, 1000)
    with pytest.raises(KhubError, match="did not start") as caught:
        ask(pool, name, make_pdf(["one"]))
    assert not isinstance(caught.value, SourceError)
    assert pool.pids == []


def test_a_report_by_halves(alone, two, test_data, monkeypatch):
    found = [path for path in (test_data / "pdfs").glob("*.pdf") if 500_000 < path.stat().st_size < 3_000_000]
    if not found:
        pytest.skip(f"no PDFs of that size in {test_data / 'pdfs'}")
    path = min(found, key=lambda one: one.stat().st_size)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert two.convert(str(path), sha256, 10, 60) == alone.convert(str(path), sha256, 10, 60)
