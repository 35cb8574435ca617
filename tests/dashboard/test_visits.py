"""A visit belongs to whoever began it: to nobody else who knows its id, and to nobody who has signed out."""

import pytest
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.mounted import pages
from server.http.app import ServiceOptions, build_service
from server.http.tokens import Tokens
from server.http.visitors import COOKIE, cookie_value

pytestmark = pytest.mark.integration
BASE = "http://127.0.0.1:8080"
SOCKET = "ws://127.0.0.1:8080/dashboard/_stcore/stream"


@pytest.fixture
def service():
    """A client of a service with the pages, that two tokens open."""
    service = build_service(ServiceOptions(tokens=Tokens("r", "w"), dashboard=pages))
    with TestClient(service, base_url=BASE, raise_server_exceptions=False) as client:
        yield client


def visit_of(client, token, before=""):
    """Return the id of the visit that a browser gets with a token.

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
            if said.WhichOneof("type") == "new_session":
                return said.new_session.initialize.session_id


def test_a_visit_goes_on_for_who_began_it_alone(service):
    first = visit_of(service, "r")
    assert visit_of(service, "r", first) == first
    assert visit_of(service, "w", first) != first
