"""Whether a secret of a graph may go where it is sent."""

from typing import Any

import pytest

from khub.components.secret_pairs import SecretError, check_secrets
from khub.components.trust import decide_secret

pytestmark = pytest.mark.unit
LLM = "haystack.components.generators.chat.openai.OpenAIChatGenerator"


def key(*variables: str) -> dict[str, Any]:
    return {"type": "env_var", "env_vars": list(variables), "strict": True}


def part(**parameters: Any) -> dict[str, Any]:
    return {"type": LLM, "init_parameters": parameters}


def test_a_pair_is_refused_until_it_is_allowed_and_again_when_it_changes(monkeypatch):
    graph = {"one": part(api_key=key("K"), api_base_url="https://a.example")}
    with pytest.raises(SecretError) as refused:
        check_secrets(graph, "graph 'x'")
    assert refused.value.pairs == (("K", "a.example"),)
    decide_secret("K", "a.example", allowed=True)
    check_secrets(graph, "graph 'x'")

    with pytest.raises(SecretError, match=r"b\.example"):
        check_secrets({"one": part(api_key=key("K"), api_base_url="https://b.example")}, "graph 'x'")
    with pytest.raises(SecretError, match="OTHER"):
        check_secrets({"one": part(api_key=key("K", "OTHER"), api_base_url="https://a.example")}, "graph 'x'")
    monkeypatch.setenv("KHUB_SECRETS", " OTHER@a.example ,")
    check_secrets({"one": part(api_key=key("K", "OTHER"), api_base_url="https://a.example")}, "graph 'x'")

    decide_secret("K", "a.example", allowed=False)
    with pytest.raises(SecretError):
        check_secrets(graph, "graph 'x'")


@pytest.mark.parametrize("variable", ["KHUB_TOKEN", "KHUB_WRITE_TOKEN", "KHUB_DATABASE_URL"])
def test_the_hubs_own_doors_open_for_nobody(monkeypatch, variable):
    monkeypatch.setenv("KHUB_SECRETS", f"{variable}@a.example")
    with pytest.raises(SecretError, match=variable) as refused:
        check_secrets({"one": part(api_key=key(variable), api_base_url="https://a.example")}, "graph 'x'")
    assert not refused.value.pairs
