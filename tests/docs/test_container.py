"""The Dockerfile and compose.yaml are sound; what they start is found healthy, and lets nobody in by mistake."""

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import typer
from packaging.requirements import Requirement
from starlette.testclient import TestClient

from khub.server.cli import app as khub
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from tests.docs.containers import COMPOSE, DOCKERFILE, composed, instruction
from tests.docs.markdown import DOCS, ROOT, in_chinese, table_with
from tests.server.http.test_graph_routes import until
from tests.server.http.test_service import free_port

GIVEN = {"KHUB_TOKEN": "r", "KHUB_WRITE_TOKEN": "w"}
PROGRAMS = Path(sys.executable).parent
PAGE = DOCS / "service" / "deploying.md"
LINTED = pytest.mark.skipif(sys.platform == "win32", reason="hadolint is not packaged for Windows")


def ran(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def options_of(arguments):
    """What `khub serve` takes from its arguments."""
    name, *rest = arguments
    assert name == "serve"
    return typer.main.get_command(khub).commands[name].make_context(name, rest).params


@pytest.mark.integration
@LINTED
@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [("", "", None), (" --no-cache-dir", "", "DL3042"), ("USER 10001:10001", "USER root", "DL3002")],
)
def test_the_dockerfile_passes_its_linter(old, new, rule, tmp_path):
    text = DOCKERFILE.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "Dockerfile").write_text(text.replace(old, new), encoding="utf-8")
    found = ran(PROGRAMS / "hadolint", "--no-color", tmp_path / "Dockerfile").stdout
    assert rule in found if rule else found == ""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ("  read_only: true", "  readonly: true"), ("  cap_drop: [ALL]", "  cap_drop: ALL")],
)
def test_the_services_fit_the_compose_specification(old, new, tmp_path):
    text = COMPOSE.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "compose.yaml").write_text(text.replace(old, new), encoding="utf-8")
    schema = ("--builtin-schema", "vendor.compose-spec")
    done = ran(PROGRAMS / "check-jsonschema", *schema, tmp_path / "compose.yaml")
    assert (done.returncode == 0) == (old == new), done.stdout


@pytest.mark.unit
def test_the_services_can_do_no_more_than_they_need():
    services = composed(**GIVEN)
    for service in services.values():
        assert "no-new-privileges:true" in service["security_opt"]
        assert "privileged" not in service
    for name in services.keys() - {"postgres", "s3"}:
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
    assert services["hub"]["ports"] == ["127.0.0.1:8080:8080"]
    assert [name for name, service in services.items() if "ports" in service] == ["hub", "tls", "proxy"]
    assert [name for name, service in services.items() if "profiles" not in service] == ["hub"]


@pytest.mark.unit
@pytest.mark.parametrize("missing", GIVEN)
def test_the_services_do_not_start_without_tokens(missing):
    with pytest.raises(KeyError, match=missing):
        composed(**{name: value for name, value in GIVEN.items() if name != missing})


@pytest.mark.unit
def test_nothing_that_is_secret_or_needed_gets_lost():
    ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines())
    assert {".env", "**/*.key", "data", ".git"} <= ignored
    packed = {"khub", "components", "server", "dashboard", "eval", "pipelines"}
    assert not ignored & {*packed, "pyproject.toml", "constraints.txt", "README.md"}
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.unit
def test_torch_does_not_come_in():
    (extras,) = re.findall(r"^ARG EXTRAS=(.+)$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert composed(**GIVEN)["hub"]["build"]["args"]["EXTRAS"] == extras
    assert "torch" in needed("knowledge-hub", ("local-models",))
    assert "torch" not in needed("knowledge-hub", extras.split(","))


def needed(name, extras, seen=None):
    """The names of all packages that one needs, as far as they are installed."""
    seen = set() if seen is None else seen
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return seen
    for one in map(Requirement, lines):
        wanted = one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (*extras, ""))
        if wanted and one.name.lower() not in seen:
            seen.add(one.name.lower())
            needed(one.name, tuple(one.extras), seen)
    return seen


@pytest.mark.e2e
def test_the_command_is_refused_without_a_token_and_found_healthy_with_one(tmp_path):
    assert instruction("ENTRYPOINT") == ["khub"]
    command = instruction("CMD")
    refused = start(command, tmp_path)
    assert refused.wait(60) == 1
    assert "KHUB_TOKEN" in refused.stderr.read()
    refused.stderr.close()

    port = str(free_port())
    python, *check = [word.replace("8080", port) for word in instruction("HEALTHCHECK")]
    assert (python, port in check[-1]) == ("python", True)

    def is_healthy():
        return ran(sys.executable, *check).returncode == 0

    assert not is_healthy()  # nothing is there yet
    here = [{"8080": port, "0.0.0.0": "127.0.0.1"}.get(word, word) for word in command]  # tests listen for nobody else
    service = start(here, tmp_path, KHUB_TOKEN="r")
    try:
        until(lambda: is_healthy() or service.poll() is not None, 60)
        assert service.poll() is None
    finally:
        service.terminate()
        service.communicate(timeout=30)


def start(arguments, home, **tokens):
    clean = {key: value for key, value in os.environ.items() if key not in GIVEN}
    environment = {**clean, **tokens, "KHUB_HOME": str(home / "data"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "khub.server.cli", *arguments]
    return subprocess.Popen(command, cwd=home, env=environment, stderr=subprocess.PIPE, text=True)


@pytest.mark.integration
def test_the_service_answers_to_the_name_that_clients_use():
    services = composed(**GIVEN, HUB_NAME="hub.example.com")
    options, exposed = options_of(services["hub"]["command"]), options_of(instruction("CMD"))
    assert (exposed["host"], exposed["port"]) == (options["host"], options["port"])
    assert f"EXPOSE {options['port']}\n" in DOCKERFILE.read_text(encoding="utf-8")
    own = services["hub"]["environment"]
    tokens = Tokens.of(own)
    service = build_service(ServiceOptions(options["host"], tuple(options["allow_host"]), tokens))
    with TestClient(service, headers={"Authorization": "Bearer r"}) as client:
        for host, status in {"hub.example.com": 200, "127.0.0.1:8080": 200, "elsewhere.example.com": 421}.items():
            assert client.get("/collections", headers={"Host": host}).status_code == status


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="for sh")
@pytest.mark.parametrize(("proxy", "behind"), [("tls", "hub"), ("proxy", "server")])
def test_the_proxy_of_the_services_leads_to_the_hub(proxy, behind, tmp_path):
    tls = composed(**GIVEN, HUB_NAME="hub.my.org")[proxy]
    shell, option, script = tls["command"]
    (source,) = [volume.split(":") for volume in tls["volumes"] if "nginx.conf" in volume]
    places = {source[1]: ROOT / source[0], "/tmp/nginx.conf": tmp_path / "nginx.conf", "exec nginx": "echo"}
    for old, new in places.items():
        assert old in script
        script = script.replace(old, str(new))
    subprocess.run([shell, option, script], check=True, env={**os.environ, **tls["environment"]})
    text = (tmp_path / "nginx.conf").read_text(encoding="utf-8")
    assert re.findall(r"^ +server (.+);", text, re.MULTILINE) == [f"{behind}:8080"]
    assert behind in tls["depends_on"]
    assert re.findall(r"^ +server_name (.+);", text, re.MULTILINE) == ["hub.my.org"] * 2


@pytest.mark.unit
@pytest.mark.parametrize("page", [PAGE, in_chinese(PAGE)], ids=lambda page: page.name)
def test_the_commands_of_the_page_name_what_is_there(page):
    services = composed(**GIVEN)
    profiles = {profile for service in services.values() for profile in service.get("profiles", ())}
    lines = re.findall(r"^    (docker compose .+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) >= 4
    for words in map(shlex.split, lines):
        assert all(words[place + 1] in profiles for place, word in enumerate(words) if word == "--profile")
        if "run" in words:
            name, *arguments = words[words.index("hub") + 1 :]
            group = typer.main.get_command(khub)
            while name in group.commands and hasattr(group.commands[name], "commands"):
                group, (name, *arguments) = group.commands[name], arguments
            group.commands[name].make_context(name, arguments)
    told = {name for row in table_with(page, "KHUB_TOKEN") for name in re.findall(r"`(\w+)`", row[0])}
    assert told == set(re.findall(r"\$\{(\w+)", COMPOSE.read_text(encoding="utf-8")))
