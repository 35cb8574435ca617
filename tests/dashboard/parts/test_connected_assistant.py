"""What is to be entered in an assistant holds all that the door asks for."""

import pytest

from khub.components.catalog.access import Caller
from khub.dashboard.visitor import Admission
from khub.server.access_right import Access
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import Visitors
from khub.server.named_tokens import create_token

pytestmark = pytest.mark.integration


@pytest.fixture
def page(hub, open_page, monkeypatch):
    """Return a function that opens the page for the one who runs the hub, and gives the entry."""

    def opened():
        monkeypatch.setattr(Admission, "visitors", Visitors(Tokens(), owner="owner"))
        monkeypatch.setattr(Visitors, "of", lambda *_: (Access.WRITE, Caller()))
        return open_page("ask").code[0].value

    return opened


def test_a_token_is_named_as_soon_as_there_is_one_though_nobody_signed_in_with_it(page):
    assert "Authorization" not in page()
    create_token("somebody")
    assert "Authorization" in page()
