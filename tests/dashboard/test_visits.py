"""A visit belongs to whoever began it: to nobody else who knows its id, and to nobody who has signed out."""

import contextlib

import pytest
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from khub.dashboard.mounted import pages
from khub.server.http.app import build_service
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import COOKIE, cookie_value
from khub.server.traces.app_log import configure_logging, log_path

pytestmark = pytest.mark.integration
BASE = "http://127.0.0.1:8080"
SOCKET = "ws://127.0.0.1:8080/dashboard/_stcore/stream"


@pytest.fixture
def service(monkeypatch):
    """A client of a service with the pages, that two tokens open."""
    monkeypatch.setenv("KHUB_UPLOAD_MB", "3")
    monkeypatch.setattr("streamlit.runtime.Runtime._instance", None)  # a process makes one, and never another
    monkeypatch.setattr("khub.dashboard.visitor.Admission.visitors", None)
    configure_logging()
    service = build_service(ServiceOptions(tokens=Tokens("r", "w"), dashboard=pages))
    with TestClient(service, base_url=BASE, raise_server_exceptions=False) as client:
        yield client


def visit_id(said):
    return said.new_session.initialize.session_id


def shown_error(said):
    return said.delta.new_element.alert.body


@contextlib.contextmanager
def visiting(client, token, before="", until=visit_id):
    """Give the id of the visit that a browser gets with a token, or what else is waited for.

    :param before: the id of the visit that it wants to go on with.
    """
    headers = {"Cookie": f"{COOKIE}={cookie_value(token)}", "X-Khub-Visitor": "KHUB_TOKEN"}
    wanted = ["streamlit", "none", *([before] if before else [])]
    with client.websocket_connect(SOCKET, wanted, headers=headers) as socket:
        begin = BackMsg()
        begin.rerun_script.query_string = ""
        socket.send_bytes(begin.SerializeToString())
        while True:
            said = ForwardMsg()
            said.ParseFromString(socket.receive_bytes())
            if found := until(said):
                yield found
                return


def test_a_visit_goes_on_for_who_began_it_alone(service):
    with visiting(service, "r") as first:
        pass
    with visiting(service, "r", first) as again, visiting(service, "w", first) as other:
        assert again == first
        assert other != first


def test_a_page_that_fails_says_so_and_the_log_says_why(service, monkeypatch):
    def fail(*arguments, **named):
        raise RuntimeError("the shelf is askew")

    monkeypatch.setattr("streamlit.set_page_config", fail)
    with visiting(service, "r", until=shown_error) as told:
        assert "RuntimeError" in told
        assert "askew" not in told
    assert "the shelf is askew" in log_path().read_text(encoding="utf-8")


def test_a_file_that_is_sent_lies_in_no_folder_of_the_system(service, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    cookie = f"{COOKIE}={cookie_value('w')}"
    known = service.get("/dashboard/_stcore/health", headers={"Cookie": cookie}).cookies["_streamlit_xsrf"]
    headers = {"Cookie": f"{cookie}; _streamlit_xsrf={known}", "X-Xsrftoken": known}
    with visiting(service, "w") as visit:
        for megabytes, seen in ((3, 204), (4, 413)):
            files = {"file": ("a.txt", b"x" * megabytes * 1_000_000)}
            address = f"/dashboard/_stcore/upload_file/{visit}/{megabytes}"
            assert service.put(address, files=files, headers=headers).status_code == seen
