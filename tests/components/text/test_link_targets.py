import pytest

from khub.components.text.link_targets import without_addresses, without_targets

pytestmark = pytest.mark.unit

LONG = "https://www.example.com/archives/edgar/data/0000796343/000079634315000022/exhibit-10-24.htm"


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("See [the plan](https://a.example/plan.html) for more.", "See the plan for more."),
        ("[a [nested] label](https://a.example/x)", "a [nested] label"),
        ('[titled](https://a.example/x "A title")', "titled"),
        ("[mail](mailto:a@b.example)", "mail"),
        (f"Get it at {LONG}, today", "Get it at www.example.com today"),
        ("| [one](https://a.example/1) | [two](https://a.example/2) |", "| one | two |"),
        ("见[计划](https://a.example/计划)。", "见计划。"),
        ("[IMAGE: d_1_1] and call[i](x) stay", "[IMAGE: d_1_1] and call[i](x) stay"),
        ("](https://a.example/x)", "](a.example)"),
    ],
)
def test_links_are_their_words_and_addresses_their_hosts(text: str, embedded: str) -> None:
    assert without_addresses(text) == embedded


def test_only_long_targets_are_left_out_of_what_is_shown() -> None:
    text = f"[short](https://a.example/x) and [long]({LONG}) and {LONG}"

    assert without_targets(text, 60) == f"[short](https://a.example/x) and long and {LONG}"
