"""Within the block a connection leads to the open internet or nowhere, whatever library makes it."""

import socket
import threading
import urllib.request

import httpx
import pytest

from khub.components.errors import SourceError
from khub.components.sources.open_network import public_addresses_only

pytestmark = pytest.mark.integration


@pytest.fixture
def port():
    """A port of this machine on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"])
@pytest.mark.parametrize("get", [httpx.get, urllib.request.urlopen])
def test_no_library_reaches_this_machine(port, get, host):
    with public_addresses_only(), pytest.raises((SourceError, OSError, httpx.HTTPError)) as caught:
        get(f"http://{host}:{port}/", timeout=2)
    assert "imed out" not in str(caught.value)  # nobody answers who is reached


def test_names_that_the_system_would_resolve_are_refused(port):
    with public_addresses_only(), socket.socket() as client, pytest.raises(SourceError):
        client.connect(("localhost", port))


def test_nothing_stays_behind_the_block():
    with public_addresses_only(), public_addresses_only():
        assert "connect" in vars(socket.socket)
    assert not {"connect", "connect_ex"} & set(vars(socket.socket))


def test_outside_and_in_other_threads_nothing_changes(port):
    done = []

    def connect():
        socket.create_connection(("127.0.0.1", port), 5).close()
        done.append(True)

    with public_addresses_only():
        other = threading.Thread(target=connect)
        other.start()
        other.join(10)
    connect()
    assert done == [True, True]
