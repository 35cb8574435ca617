"""Files that are sent become documents, within their limits, and nothing is left of those that do not."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import psutil
import pytest
import uvicorn

from khub.components.home import hub_home
from khub.components.text.file_names import safe_name
from khub.server.http.service import service_config
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.jobs.service_jobs import new_job_id
from khub.server.library.uploads import forget_interrupted, incoming, safe_path, uploads_of
from khub.server.named_tokens import create_token
from tests.server.http.conftest import bearer
from tests.server.http.test_graph_routes import until
from tests.server.library.test_formats import EXAMPLE, TRACK, read_tracks

pytestmark = pytest.mark.integration

FORM = "multipart/form-data; boundary=x"
ENDED = ("finished", "failed", "cancelled")


@pytest.fixture
def client(hub, serving):
    with serving("r", "w") as client:
        client.headers.update(bearer("w"))
        yield client


def sent(client, *files, **fields):
    parts = [("files", (name, data, "application/pdf")) for name, data in files]  # the type is a lie
    return client.post("/documents", files=parts, data=fields)


def ended(client, reply):
    assert reply.status_code == 202, reply.text
    address = reply.headers["location"]
    until(lambda: client.get(address).json()["state"] in ENDED, 60)
    return client.get(address).json()


def test_a_first_file_that_fails_is_listed_and_goes_with_its_document(client):
    job = ended(client, sent(client, ("empty.md", b""), collection="fresh"))
    assert job["result"]["failed"] == 1
    (row,) = client.get("/documents", params={"collection": "fresh"}).json()["documents"]
    assert row["status"] == "failed"
    assert (uploads_of("fresh") / "empty.md").is_file()
    assert client.delete(f"/documents/{row['doc_id']}").status_code == 200
    assert not (uploads_of("fresh") / "empty.md").exists()


def found(client, query, **body):
    reply = client.post("/query/run", json={"query": query, **body})
    return [one["source"].rpartition("/")[2] for one in reply.json()["citations"]]


def left():
    return list((hub_home() / "incoming").rglob("*"))


def test_files_that_are_sent_are_found_and_replaced(client):
    owls = ("owls.md", b"# Owls\n\nOwls hunt mice at midnight.\n")
    first = sent(client, owls, ("报销.txt", "差旅报销须在三十天内提交。".encode()), meta=json.dumps({"team": "birds"}))
    job = ended(client, first)
    assert (job["state"], job["result"]["written"], job["kind"]) == ("finished", 2, "ingest")
    assert found(client, "What do owls hunt?")[0] == "owls.md"
    assert found(client, "报销要在多少天内提交？")[0] == "报销.txt"
    only = {"field": "meta.team", "operator": "==", "value": "birds"}
    assert set(found(client, "owls herons", filters=only)) <= {"owls.md", "报销.txt"}
    again = ended(client, sent(client, ("owls.md", b"# Owls\n\nOwls hunt voles at dawn.\n")))
    assert again["result"]["written"] == 1
    answer = client.post("/query/run", json={"query": "What do owls hunt?"}).json()
    assert "voles" in answer["citations"][0]["text"]
    assert not any("midnight" in one["text"] for one in answer["citations"])
    assert not left()


def test_a_text_with_a_name_is_a_document_that_goes_with_its_file(client):
    body = {"source": "wiki/Kestrels", "text": "# Kestrels\n\nKestrels hover over fields.\n"}
    assert ended(client, client.post("/documents", json=body))["state"] == "finished"
    assert found(client, "Where do kestrels hover?")[0] == "Kestrels.md"
    (document,) = client.get("/documents", params={"text": "Kestrels"}).json()["documents"]
    assert client.get(f"/documents/{document['doc_id']}/original").content == body["text"].encode()
    assert (uploads_of("default") / "wiki" / "Kestrels.md").is_file()
    assert client.delete(f"/documents/{document['doc_id']}").status_code == 200
    assert not (uploads_of("default") / "wiki").exists()


def test_each_of_two_requests_at_once_keeps_its_own_text_and_level(client):
    for text, level in (("Kites circle.", "public"), ("Kites plan a merger.", "internal")):
        body = {"source": "kites.md", "text": f"# Kites\n\n{text}\n", "meta": {"access_level": level}}
        last = client.post("/documents", json=body)
    ended(client, last)
    jobs = [job for job in client.get("/jobs").json()["jobs"] if job["job_id"]][:2]
    brought = [(job["result"]["written"], job["result"]["overtaken"]) for job in jobs]
    assert brought in ([(1, 0), (1, 0)], [(1, 0), (0, 1)])  # the first has begun before the second came, or leaves it
    (document,) = client.get("/documents", params={"text": "kites"}).json()["documents"]
    about = client.get(f"/documents/{document['doc_id']}").json()
    assert about["metadata"]["access_level"] == "internal"
    assert "merger" in client.get(f"/documents/{document['doc_id']}/markdown").text
    assert not list((hub_home() / "waiting").glob("*"))


def test_another_level_for_the_same_text_holds(client):
    body = {"source": "kites.md", "text": "# Kites\n\nKites circle.\n"}
    for level, written in (("public", 1), ("internal", 1), ("internal", 0)):
        job = ended(client, client.post("/documents", json={**body, "meta": {"access_level": level}}))
        assert job["result"]["written"] == written
    (document,) = client.get("/documents", params={"text": "kites"}).json()["documents"]
    assert client.get(f"/documents/{document['doc_id']}").json()["metadata"]["access_level"] == "internal"


def test_who_sends_for_some_levels_names_one_of_them(client):
    token, _ = create_token("public", write=True, levels=["public"])
    body = {"source": "kites.md", "text": "# Kites\n\nKites circle.\n"}
    for meta, status in (({}, 422), ({"access_level": "internal"}, 422), ({"access_level": "public"}, 202)):
        reply = client.post("/documents", json={**body, "meta": meta}, headers=bearer(token))
        assert reply.status_code == status, reply.text


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../x.md", "x.md"),
        ("C:\\Windows\\a.md", "a.md"),
        ("/etc/passwd", "passwd"),
        ("a\x00b\n.md", "ab.md"),
        ("con.txt", "_con.txt"),
        ("manuals/规章/README.md", "manuals/规章/README.md"),
        ("a\\b\\c.md", "a/b/c.md"),
        ("./a//b.md", "a/b.md"),
        ("a/../../b.md", "b.md"),
        ("....//....//b.md", "b.md"),
        ("a/con/b.md", "a/_con/b.md"),
        ("报销 制度.docx", "报销 制度.docx"),
        ("evil\u202efdp.md", "evilfdp.md"),
        (".md", "md"),
    ],
)
def test_names_lead_nowhere(given, name):
    assert safe_path(given) == name


def test_long_names_are_cut_and_empty_ones_refused(client):
    name = safe_name("长" * 300 + ".md")
    assert len(name.encode()) <= 200
    assert name.endswith(".md")
    for nothing in ("..", "/", "\u200b", "a/"):
        with pytest.raises(Exception, match="no name"):
            safe_path(nothing)
    assert ended(client, sent(client, ("../../out.md", b"# Out\n\nOut of it.\n")))["state"] == "finished"
    assert (uploads_of("default") / "out.md").is_file()
    assert not (hub_home().parent / "out.md").exists()


@pytest.mark.parametrize(
    ("files", "fields", "status"),
    [
        ([], {"collection": "a"}, 422),
        ([("a.md", b"x"), ("../a.md", b"y")], {}, 422),
        ([("a.md", b"x")], {"colour": "red"}, 422),
        ([("a.md", b"x")], {"meta": "[]"}, 422),
        ([("a.md", b"x")], {"meta": '{"source": "x"}'}, 422),
        ([("a.md", b"x")], {"graph": "no-such"}, 422),
        ([("a.md", b"x")], {"graph": "query"}, 422),
        ([("a.md", b"x")], {"collection": "a\x01"}, 422),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_nothing(client, files, fields, status):
    parts = [("files", (name, data)) for name, data in files] or [("other", (None, "x"))]
    reply = client.post("/documents", files=parts, data=fields)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert not left()
    assert not client.get("/jobs").json()["jobs"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"--x\r\nContent-Disposition: form-data; name=files; filename=a.md\r\n\r\nhal", FORM, 422),
        (b"nonsense", FORM, 422),
        (b"--x--", "multipart/form-data", 422),
        (b"{", "application/json", 400),
        (b'{"source": "a", "text": "\\ud800"}', "application/json", 400),
        (b"x", "text/plain", 415),
    ],
)
def test_a_body_that_is_not_whole_is_refused(client, body, kind, status):
    reply = client.post("/documents", content=body, headers={"content-type": kind})
    assert reply.status_code == status, reply.text
    assert not left()


def test_a_file_that_is_too_large_is_refused_early(client, monkeypatch):
    monkeypatch.setenv("KHUB_UPLOAD_MB", "1")
    taken = []

    def stream():
        yield b"--x\r\nContent-Disposition: form-data; name=files; filename=a.md\r\n\r\n"
        for _ in range(100):
            taken.append(1)
            yield b"a" * 100_000

    assert client.post("/documents", content=stream(), headers={"content-type": FORM}).status_code == 413
    assert not left()
    told = client.post("/documents", content=b"", headers={"content-type": FORM, "content-length": "11000000"})
    assert told.status_code == 413
    monkeypatch.setenv("KHUB_UPLOAD_MB", "3")
    assert sent(client, ("a.md", b"# Large\n\n" + b"word " * 400_000)).status_code == 202


def test_a_form_that_does_not_say_its_length_has_one_too(client, monkeypatch):
    monkeypatch.setenv("KHUB_UPLOAD_MB", "1")

    def stream(parts, content, name):
        for number in range(parts):
            yield f"\r\n--x\r\nContent-Disposition: form-data; name={name.format(number)}\r\n\r\n".encode() + content
        yield b"\r\n--x--\r\n"

    def status(*of):
        return client.post("/documents", content=stream(*of), headers={"content-type": FORM}).status_code

    assert status(12, b"a" * 900_000, "files; filename={0}.md") == 413
    assert status(50, b"a" * 90_000, "field{0}") == 422
    assert not left()
    long = {"content-type": f"multipart/form-data; boundary={'x' * 500}"}
    assert client.post("/documents", content=b"-", headers=long).status_code == 422


def test_a_text_in_json_is_smaller_than_a_file(client):
    body = b'{"source": "a.md", "text": "' + b"word " * 4_100_000 + b'"}'
    assert client.post("/documents", content=body, headers={"content-type": "application/json"}).status_code == 413


def test_what_a_killed_service_has_left_of_an_upload_goes_and_no_more(tmp_path):
    gone = hub_home() / "incoming" / new_job_id()
    gone.mkdir(parents=True)
    (gone / "0").write_bytes(b"half")
    with incoming(new_job_id()) as here:
        forget_interrupted()
        assert here.is_dir()
        assert not gone.exists()
    assert not list(gone.parent.iterdir())


def test_a_key_lets_a_request_be_repeated(client):
    def ask(text, key):
        body = {"source": "a.md", "text": text}
        return client.post("/documents", json=body, headers={"Idempotency-Key": key})

    first = ask("# A\n\nOne.\n", "k1")
    assert ask("# A\n\nOne.\n", "k1").json()["job_id"] == first.json()["job_id"]
    assert ask("# A\n\nTwo.\n", "k1").status_code == 422
    assert ask("# A\n\nTwo.\n", "k2").json()["job_id"] != first.json()["job_id"]


def test_two_requests_at_once_with_one_key_are_one(client):
    body = {"source": "kites.md", "text": "# Kites\n\nKites circle.\n"}

    def send(_):
        return client.post("/documents", json=body, headers={"Idempotency-Key": "k"}).json()["job_id"]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(send, range(8)))) == 1


def test_an_upload_may_take_longer_than_an_answer(client, monkeypatch):
    monkeypatch.setattr("khub.server.http.timeout.LONGEST_S", 0.3)
    head = b"--x\r\nContent-Disposition: form-data; name=files; filename=slow.md\r\n\r\n# Slow\n\n"

    def slowly():
        yield head
        for _ in range(8):
            time.sleep(0.1)
            yield b"word "
        yield b"\r\n--x--\r\n"

    assert client.post("/documents", content=slowly(), headers={"content-type": FORM}).status_code == 202


def test_who_may_not_write_or_not_there_sends_nothing(client):
    mine, _ = create_token("mine", write=True, collections=["mine"])
    files = [("files", ("a.md", b"# A\n\nAlpha.\n"))]
    assert client.post("/documents", files=files, headers=bearer("r")).status_code == 403
    assert client.post("/documents", files=files, headers=bearer(mine)).status_code == 422
    allowed = client.post("/documents", files=files, data={"collection": "mine"}, headers=bearer(mine))
    assert allowed.status_code == 202
    others, _ = create_token("others", collections=["mine"])
    address = allowed.headers["location"]
    assert [client.get(address, headers=bearer(who)).status_code for who in (mine, "w", others)] == [200, 200, 404]
    assert client.get("/jobs", headers=bearer(others)).json()["jobs"] == []


@pytest.mark.e2e
def test_a_large_file_is_not_held_in_memory(hub, monkeypatch):
    monkeypatch.setenv("KHUB_UPLOAD_MB", "400")
    service = uvicorn.Server(service_config(ServiceOptions(tokens=Tokens("r", "w")), 0))
    thread = threading.Thread(target=service.run)
    thread.start()
    until(lambda: service.started)
    port = service.servers[0].sockets[0].getsockname()[1]
    block, most = b"a" * 1_000_000, 0

    def stream():
        nonlocal most
        yield b"--x\r\nContent-Disposition: form-data; name=files; filename=a.bin\r\n\r\n"
        for _ in range(300):
            yield block
            most = max(most, psutil.Process().memory_info().rss)
        yield b"\r\n--x--\r\n"

    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, headers=bearer("w")) as client:
            until(lambda: client.get("/readyz").status_code == 200, 60)
            before = psutil.Process().memory_info().rss
            reply = client.post("/documents", content=stream(), headers={"content-type": FORM})
            assert reply.status_code == 202, reply.text
            assert most - before < 100_000_000
            job = ended(client, reply)
            assert job["result"]["failed"] + job["result"]["passed_over"] == 1
    finally:
        service.should_exit = True
        thread.join(60)


def test_a_text_keeps_the_extension_of_a_format_of_its_graph(client, hub, monkeypatch):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "khub_example.*")
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLE), prepend=os.pathsep)  # for the job
    read_tracks(hub / "ingest.yaml")
    assert ".gpx" in client.get("/graphs/ingest").json()["extensions"]
    assert ended(client, client.post("/documents", json={"source": "ridge.gpx", "text": TRACK}))["state"] == "finished"
    (row,) = client.get("/documents", params={"text": "ridge"}).json()["documents"]
    assert (row["source"].rpartition("/")[2], row["doc_type"]) == ("ridge.gpx", "track")
