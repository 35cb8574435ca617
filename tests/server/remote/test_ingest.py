"""Files are sent to a service in parts, their job is followed, and what came of each is told."""

import threading

import pytest

from khub.server.remote import jobs, sending
from khub.server.remote.failures import UnreachedError
from khub.server.remote.form import Form, SentFile
from khub.server.remote.jobs import run_job
from khub.server.remote.service import Service, _events

pytestmark = pytest.mark.integration


def test_a_second_time_nothing_is_new_and_what_was_changed_is(there, notes):
    assert len(there.json("ingest", notes, "-c", "again")["written"]) == 3
    (notes / "预算.md").write_text("# 差旅预算\n\n酒店每晚上限为八百元。\n", encoding="utf-8")
    result = there.json("ingest", notes, "-c", "again")
    assert [one["source"] for one in result["written"]] == [str(notes / "预算.md")]
    assert sorted(result["unchanged"]) == [str(notes / "birds.md"), str(notes / "fish.txt")]
    assert there.json("query", "酒店上限", "-c", "again")["citations"][0]["text"].count("八百元")
    done = there.run("ingest", notes, "-c", "again")
    assert done.stdout.startswith("again: 0 new or changed (0 chunks), 3 unchanged, 0 failed in ")
    assert "ingest 3/3 files" in done.stderr


def test_files_that_fail_are_named_and_the_others_come_in(there, notes):
    (notes / "empty.md").write_text("")
    (notes / "photo.xyz").write_text("x")
    (notes / ".hidden.md").write_text("x")
    (notes / "deep").mkdir()
    (notes / "deep" / "birds.md").write_text("# Other birds\n\nOwls.\n")
    (notes / "link.md").symlink_to(notes.parent)
    (notes / "large.txt").write_text("word " * 500_000)
    done = there.run("ingest", notes, notes.parent / "nowhere", "-c", "some", "--json", code=1)
    result = there.json("ingest", notes, notes.parent / "nowhere", "-c", "some", code=1)
    failed = {one["source"] for one in result["failed"]}
    names = ("empty.md", "large.txt")
    assert failed == {*(str(notes / name) for name in names), str(notes.parent / "nowhere")}
    assert str(notes / "deep" / "birds.md") in result["unchanged"]  # a name that another file has, in another folder
    assert (len(result["unchanged"]), result["links_left"]) == (4, [str(notes / "link.md")])
    assert [one["source"] for one in result["passed_over"]] == [str(notes / "photo.xyz")]
    assert all(any(source in line for line in done.stderr.splitlines()) for source in failed)


def test_the_graph_of_the_service_says_which_files_of_a_folder_are_sent(there, notes, monkeypatch):
    ask = Service.ask

    def reads_more(service, method, path, *needs, **more):
        answer = ask(service, method, path, *needs, **more)
        return {**answer, "extensions": [*answer["extensions"], ".xyz"]} if path == "/graphs/ingest" else answer

    (notes / "fish.txt").rename(notes / "photo.xyz")
    monkeypatch.setattr(Service, "ask", reads_more)
    result = there.json("ingest", notes, "-c", "more kinds")
    assert str(notes / "photo.xyz") in [one["source"] for one in result["written"]]


def test_what_git_ignores_is_not_sent_unless_that_is_said(there, notes):
    (notes / ".gitignore").write_text("fish.txt\n", encoding="utf-8")
    result = there.json("ingest", notes, "-c", "ignored")
    assert (len(result["written"]), result["ignored_count"]) == (2, 1)
    everything = there.json("ingest", notes, "-c", "ignored", "--no-ignore")
    assert [one["source"] for one in everything["written"]] == [str(notes / "fish.txt")]
    assert everything["ignored_count"] == 0


def test_of_two_files_with_one_name_the_second_is_not_sent(there, notes):
    (notes / "deep").mkdir()
    (notes / "deep" / "birds.md").write_text("# Other birds\n\nOwls.\n")
    result = there.json("ingest", notes / "birds.md", notes / "deep" / "birds.md", "-c", "two", code=1)
    assert [one["source"] for one in result["failed"]] == [str(notes / "deep" / "birds.md")]
    assert len(result["written"]) == 1


def test_many_files_go_in_several_requests(there, tmp_path, monkeypatch):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.md").write_text(f"# 第{number}章\n\n内容{number}。\n", encoding="utf-8")
    monkeypatch.setattr(sending, "MOST_FILES", 2)
    done = there.run("ingest", folder, "-c", "many")
    assert "many: 5 new or changed (5 chunks)" in done.stdout
    assert "ingest 5/5 files" in done.stderr
    assert len(there.json("list", "-c", "many")["documents"]) == 5


def test_parts_hold_what_a_request_may_hold():
    files = [SentFile(f"/{n}", f"{n}", size) for n, size in enumerate([150_000_000, 60_000_000, 500_000_000, 1])]
    assert [[file.name for file in part] for part in sending.parts(files)] == [["0"], ["1"], ["2"], ["3"]]
    assert list(sending.parts([])) == []


def test_nothing_is_sent_where_nothing_is_found(there, tmp_path):
    (tmp_path / "bare").mkdir()
    done = there.run("ingest", tmp_path / "bare", "-c", "bare")
    assert "nothing was found" in done.stderr
    there.run("list", "-c", "bare", code=1)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--dry-run",), 2, "--dry-run"),
        (("--allow-url",), 2, "--allow-url"),
        (("https://example.com/x",), 2, "URL"),
        (("--meta", "source=x"), 1, "source"),
        (("--graph", "query"), 1, "query"),
        (("-c", "a\x01b"), 1, "collection name"),
    ],
)
def test_what_a_service_cannot_do_is_refused(there, notes, options, code, said):
    assert said in there.run("ingest", notes, *options, code=code).stderr


def test_a_file_that_shrinks_while_it_is_sent_is_no_document(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("xyz")  # none of which a boundary of hexadecimal digits has
    whole = b"".join(Form({"meta": "{}"}, [SentFile(str(path), "名字.md", 2)]))
    assert (b'filename="\xe5\x90\x8d\xe5\xad\x97.md"\r\n\r\nxy\r\n' in whole, b"xyz" in whole) == (True, False)
    with pytest.raises(Exception, match="shorter"):
        list(Form({}, [SentFile(str(path), "a.md", 4)]))


def test_the_length_of_a_form_is_told(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"x" * 600_000)
    form = Form({"collection": "鸟"}, [SentFile(str(path), "a.md", 600_000)] * 2)
    assert form.headers["Content-Length"] == str(len(b"".join(form)))


def test_an_interrupt_while_files_are_sent_leaves_nothing(address, notes, monkeypatch):
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    service, interrupted = Service(address, writing=True), threading.Event()
    interrupted.set()
    form = Form({"collection": "stopped"}, sending.sendable([str(notes / "fish.txt")], [], []))
    with pytest.raises(KeyboardInterrupt):
        jobs._send(service, form, interrupted)
    collections = [job["collection"] for job in service.ask("GET", "/jobs", "jobs")["jobs"]]
    assert "stopped" not in collections
    service.close()


class Breaking(Service):
    """Breaks each stream of events after some."""

    def __init__(self, address):
        super().__init__(address, writing=True)
        self.asked = []

    def events(self, path, after):
        self.asked.append(after)
        for number, told in enumerate(super().events(path, after), 1):
            yield told
            if number == 2 and told[1] not in jobs.ENDED:
                raise UnreachedError("the connection broke")


def test_a_job_is_followed_on_where_its_stream_breaks(address, notes, monkeypatch):
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    monkeypatch.setattr(jobs, "PAUSE_S", 0.01)
    service, told = Breaking(address), []
    part = sending.sendable([str(path) for path in notes.iterdir()], [], [])
    job = run_job(service, {"collection": "broken"}, part, told.append)
    assert (job["state"], len(job["files"]["written"])) == ("finished", 3)
    assert service.asked[:2] == ["", "2"]
    assert told[-1]["done"] == 3
    service.close()


class Quiet(Service):
    """Of a job that has been silent for long the stream breaks, and the next one tells its end."""

    clock = 0.0

    def events(self, path, after):
        if not self.clock:
            yield "1", "running", {}
            for self.clock in (100.0, 200.0):  # seconds
                yield from _events([b": still there\n\n"], self.address)
            raise UnreachedError("the connection broke")
        yield "2", "finished", {}


def test_a_job_that_has_nothing_to_tell_is_followed_on_too(monkeypatch):
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    monkeypatch.setattr(jobs, "PAUSE_S", 0)
    service = Quiet("http://127.0.0.1:9")
    monkeypatch.setattr(jobs.time, "monotonic", lambda: service.clock)
    assert [event for event, _ in jobs._events(service, "x")] == ["running", "finished"]
    service.close()


def test_where_a_service_stays_away_it_is_said_that_the_job_goes_on(address, notes, monkeypatch):
    monkeypatch.setenv("KHUB_WRITE_TOKEN", "w")
    monkeypatch.setattr(jobs, "PATIENCE_S", 0)
    service = Breaking(address)
    with pytest.raises(Exception, match="goes on"):
        run_job(service, {"collection": "away"}, sending.sendable([str(notes / "fish.txt")], [], []), lambda _: None)
    service.close()
