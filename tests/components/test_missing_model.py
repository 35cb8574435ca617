"""A model that cannot be fetched is named, with what to do, whatever its library says."""

import huggingface_hub
import pytest
from huggingface_hub import constants
from huggingface_hub.utils import close_session

from khub.components.failure_reason import failure_reason
from khub.components.missing_model import missing_model

pytestmark = pytest.mark.unit
DEAD = "http://127.0.0.1:9"


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    """Return a function that fetches a model through a library of its own, and what that raises."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, DEAD)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    close_session()  # a session keeps the proxy that it began with

    def fetch():
        try:
            try:
                huggingface_hub.hf_hub_download("some/model", "config.json", cache_dir=tmp_path)
            except Exception as error:
                raise OSError("We couldn't load it") from error  # as transformers does
        except OSError as error:
            return error
        pytest.fail("there is no such model")

    yield fetch
    close_session()


def test_without_a_network_it_is_named_with_the_remedy(fetch):
    error = fetch()
    missing = missing_model(error)
    assert "'some/model'" in missing.message
    assert "cannot be reached" in missing.message
    assert "some/model" in missing.remedy
    assert failure_reason(error) == str(missing)


def test_so_it_is_where_the_network_is_switched_off(fetch, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE is set" in missing_model(fetch()).message


def test_so_it_is_where_the_librarys_client_is_closed(fetch, monkeypatch):
    def closed(*arguments, **more):
        raise RuntimeError("Cannot send a request, as the client has been closed.")

    monkeypatch.setattr("httpx.Client.send", closed)
    error = fetch()
    assert "'some/model'" in missing_model(error).message
    assert "client" not in failure_reason(error)


def test_other_failures_are_none():
    for error in (OSError("no such file"), ConnectionError("a store is down"), RuntimeError("client has been closed")):
        with pytest.raises(type(error)) as raised:
            raise error
        assert missing_model(raised.value) is None
