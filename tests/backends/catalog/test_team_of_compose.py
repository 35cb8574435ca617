"""The profile `team` of compose.yaml, without containers: the same commands and variables, and parts from packages."""

import os
import signal
import subprocess
import sys

import httpx
import pytest

from tests.conditions import until
from tests.docs.containers import composed
from tests.docs.markdown import ROOT
from tests.own_disk import disks_can_be_bound, with_disk
from tests.server.http.nginx import NAME, proxied
from tests.server.http.test_service import free_port

pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not disks_can_be_bound(), reason="no disk of its own can be given to a process here"),
]
GIVEN = {"KHUB_TOKEN": "r", "KHUB_WRITE_TOKEN": "w", "HUB_NAME": NAME, "POSTGRES_PASSWORD": "p", "S3_SECRET": "s"}
NAMES = ["kingfisher", "lapwing", "bittern", "curlew", "wagtail", "plover"]


class Team:
    """Servers and workers as compose.yaml starts them.

    :param places: what stands for the names that containers have for each other.
    """

    def __init__(self, folder, places):
        self.folder, self.places, self.processes, self.ports = folder, places, {}, {}
        self.services = composed(**GIVEN)
        (folder / "data").mkdir()

    def start(self, role, number):
        service = self.services[role]
        name, port = f"{role}{number}", str(free_port())
        here = {"0.0.0.0": "127.0.0.1", "8080": port}
        words = [here.get(word, word) for word in service["command"]]
        own = {key: str(value) for key, value in service["environment"].items()}
        variables = {**own, **self.places, "KHUB_PIPELINES": str(ROOT / "pipelines")}
        command = with_disk(self.folder / name, self.folder / "data", [sys.executable, "-m", "khub.server.cli", *words])
        environment = {**os.environ, **variables, "KHUB_HOME": str(self.folder / "data"), "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self.ports[name] = int(port)

    def is_ready(self, name):
        assert self.processes[name].poll() is None, (self.folder / f"{name}.log").read_text("utf-8")
        try:
            return httpx.get(f"http://127.0.0.1:{self.ports[name]}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def answered(self, name):
        """How many questions a server has answered."""
        headers = {"Authorization": "Bearer r"}
        text = httpx.get(f"http://127.0.0.1:{self.ports[name]}/metrics", headers=headers).text
        return sum(
            float(line.split()[-1])
            for line in text.splitlines()
            if line.startswith("khub_request_seconds_count") and 'graph="query' in line
        )

    def stop(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            process.wait(60)


@pytest.fixture
def team(tmp_path, new_database, s3):
    places = {"KHUB_DATABASE_URL": new_database(), **s3}
    made = Team(tmp_path, places)
    assert places.keys() <= made.services["server"]["environment"].keys()
    for role in ("server", "worker"):
        for number in range(made.services[role]["deploy"]["replicas"]):
            made.start(role, number)
    yield made
    made.stop()


def question(name):
    return {"json": {"query": f"where does the {name} nest"}}


def test_files_go_in_by_the_proxy_and_come_out_of_each_server(team, tmp_path, needs_program):
    needs_program("nginx", "nginx-light")
    needs_program("openssl", "openssl")
    servers = [name for name in team.processes if name.startswith("server")]
    assert len(servers) > 1
    until(lambda: all(map(team.is_ready, servers)))
    with (
        proxied(tmp_path / "nginx", *(team.ports[name] for name in servers)) as nginx,
        nginx.client(headers={"Authorization": "Bearer w"}) as client,
    ):
        texts = {f"{name}.md": f"# {name}\n\nThe {name} nests by the weir.\n" for name in NAMES}
        sent = client.post("/documents", files=[("files", (file, text)) for file, text in texts.items()])
        assert sent.status_code == 202, sent.text
        job = sent.headers["location"]
        until(lambda: client.get(job).json()["state"] == "finished", lambda: client.get(job).text)
        documents = {row["title"]: row["doc_id"] for row in client.get("/documents").json()["documents"]}
        for name in NAMES * 2:
            reply = client.post("/query/run", **question(name))
            assert (reply.status_code, reply.json()["degraded"]) == (200, []), reply.text
            assert f"The {name} nests" in reply.text
        assert all(team.answered(name) > 0 for name in servers)
        for name in NAMES:
            assert client.get(f"/documents/{documents[name]}/original").text == texts[f"{name}.md"]

        team.processes[servers[0]].kill()
        gone = NAMES[0]
        assert client.delete(f"/documents/{documents[gone]}").status_code == 200
        for name in NAMES * 2:
            reply = client.post("/query/run", **question(name))
            assert reply.status_code == 200
            assert (f"The {name} nests" in reply.text) == (name != gone)

        team.start("server", 2)
        until(lambda: team.is_ready("server2"))
        direct = httpx.Client(base_url=f"http://127.0.0.1:{team.ports['server2']}", headers=client.headers, timeout=60)
        for name in NAMES:
            assert (f"The {name} nests" in direct.post("/query/run", **question(name)).text) == (name != gone)
