"""Which secret of a graph goes where, and whether it may."""

from typing import Any

import pytest

from components.secret_pairs import SecretError, check_secrets, hosts_of, secret_pairs
from components.trust import decide_secret

pytestmark = pytest.mark.unit
LLM = "haystack.components.generators.chat.openai.OpenAIChatGenerator"


def key(*variables: str) -> dict[str, Any]:
    return {"type": "env_var", "env_vars": list(variables), "strict": True}


def part(**parameters: Any) -> dict[str, Any]:
    return {"type": LLM, "init_parameters": parameters}


@pytest.mark.parametrize(
    ("component", "hosts"),
    [
        (part(api_key=key("K"), api_base_url="https://Evil.Example:8443/v1"), {"evil.example"}),
        (part(api_key=key("K")), {LLM}),
        ({"type": "components.x.Refiner", "init_parameters": {"llm": part(api_key=key("K"), host="a.b:99")}}, {"a.b"}),
        (part(api_key=key("K"), http_client_kwargs={"proxy": "http://p.example"}), {"p.example", LLM}),
        (part(api_key=key("K"), generation_kwargs={"seen": "https://api.openai.com"}), {"api.openai.com", LLM}),
        (part(api_key=key("K"), api_base_url="https://good.example@evil.example/"), {"evil.example"}),
        (part(headers=[{"x": key("K")}], url="http://[::1]:80"), {"::1"}),
    ],
)
def test_every_host_of_the_component_counts(component, hosts):
    assert secret_pairs({"one": component}) == {("K", host) for host in hosts}


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


def test_hosts_without_a_secret_are_found(tmp_path):
    components = {"one": part(url="http://ollama.lan:11434"), "two": part(path=str(tmp_path), title="no host: here")}
    assert hosts_of(components) == {"ollama.lan"}
