"""What is stored, cited and logged of a web address holds no credentials."""

import pytest

from khub.components.text.shown_address import shown_address, without_credentials

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h/a?b=1&c=%20x#part", "https://h/a?b=1&c=%20x#part"),
        ("https://h/a?page_token=3&keyword=x&monkey=1", "https://h/a?page_token=3&keyword=x&monkey=1"),
        ("http://u:p%40w@h:8/a", "http://h:8/a"),
        ("http://h/?token=x", "http://h/"),
        ("http://h/?a=1&Access_Token=x&b=2", "http://h/?a=1&b=2"),
        ("http://h/?api_key=x;y&a=1;sig=z", "http://h/?a=1"),
        ("http://h/?%74oken=x&a=1", "http://h/?a=1"),
        ("http://h/f;jsessionid=AB/g?client_secret=x#access_token=y", "http://h/f/g"),
        ("https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=2&X-Amz-Credential=3&v=4",
         "https://b.s3.amazonaws.com/k?v=4"),
        ("https://b.blob.core.windows.net/k?sv=1&se=2&sp=r&sig=z", "https://b.blob.core.windows.net/k"),
        ("https://h/k?se=2&sp=r", "https://h/k?se=2&sp=r"),
        ("http://u:secret@[bad/?token=secret", "http://[bad/"),
    ],
)  # fmt: skip
def test_credentials_go_and_the_rest_stays(url, shown):
    assert shown_address(url) == shown
    assert shown_address(shown) == shown


def test_addresses_in_a_message():
    said = without_credentials("GET 'https://u:p@h/a?key=k&b=1' and https://h/?password=p failed: token=kept")
    assert said == "GET 'https://h/a?b=1' and https://h/ failed: token=kept"
