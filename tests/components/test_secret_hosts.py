"""What a graph would send where is read from its data."""

import pytest

from khub.components.bounded_yaml import load_yaml
from khub.components.secret_hosts import host_name, named_hosts, secret_uses

pytestmark = pytest.mark.unit

OPENAI = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
KEY = "{type: env_var, env_vars: [A_KEY], strict: true}"


def uses(parameters, kind=OPENAI):
    return secret_uses(load_yaml(f"components: {{a: {{type: {kind}, init_parameters: {parameters}}}}}"))


@pytest.mark.parametrize(
    ("parameters", "hosts"),
    [
        (f"{{api_key: {KEY}}}", [OPENAI]),
        (f"{{api_key: {KEY}, api_base_url: 'https://One.example:443/v1'}}", ["one.example"]),
        (f"{{api_key: {KEY}, api_base_url: 'http://one.example/v1'}}", ["one.example"]),
        (f"{{api_key: {KEY}, api_base_url: 'https://good.example@evil.example/'}}", ["evil.example"]),
        (
            f"{{api_key: {KEY}, api_base_url: 'https://good.example\\@evil.example/'}}",
            ["https://good.example\\@evil.example/"],
        ),
        (f"{{api_key: {KEY}, host: evil.example}}", ["evil.example"]),
        (
            f"{{api_key: {KEY}, azure_endpoint: 'http://good.example @evil.example/'}}",
            ["http://good.example @evil.example/"],
        ),
        (f"{{api_key: {KEY}, url: '//evil.example/://good.example'}}", ["//evil.example/://good.example"]),
        (f"{{api_key: {KEY}, http_client_kwargs: {{proxies: {{https: 'evil.example:8'}}}}}}", ["evil.example"]),
        (f"{{api_key: {KEY}, location: evil.example}}", ["evil.example"]),
        (f"{{api_key: {KEY}, uri: '{{home}}/dense/{{collection}}/milvus.db'}}", [OPENAI]),
        (f"{{api_key: {KEY}, uri: 'http://{{home}}/'}}", ["{home}"]),
        (f"{{api_key: {KEY}, http_client_kwargs: {{proxy: 'http://evil.example:8'}}}}", ["evil.example"]),
        (f"{{api_key: {KEY}, http_client_kwargs: {{mounts: {{'all://evil.example': 1}}}}}}", ["evil.example"]),
        (f"{{api_key: {KEY}, hosts: ['one.example', 'https://two.example']}}", ["one.example", "two.example"]),
        (f"{{extra: [{{deep: {KEY}}}], server: {{type: x.Y, data: {{u: 'ws://evil.example'}}}}}}", ["evil.example"]),
        (
            f"{{url: 'https://evil.example', inner: {{type: x.Y, init_parameters: {{k: {KEY}}}}}}}",
            ["evil.example", "x.Y"],
        ),
        ("{api_key: {env_vars: A_KEY}}", [OPENAI]),
        ("{prompt: 'see https://example.com'}", []),
    ],
)
def test_each_secret_is_paired_with_every_host_beside_it(parameters, hosts):
    assert uses(parameters) == [("A_KEY", host) for host in sorted(hosts)]


@pytest.mark.parametrize("key", ["", "api_key: null, "])
def test_secret_that_a_class_reads_by_itself_counts_where_it_is_set(monkeypatch, key):
    evil = f"{{{key}api_base_url: 'https://evil.example'}}"
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert uses(evil) == [("OPENAI_API_KEY", "evil.example")]
    assert uses(f"{{api_key: {KEY}, api_base_url: 'https://evil.example'}}") == [("A_KEY", "evil.example")]
    monkeypatch.delenv("OPENAI_API_KEY")
    assert uses(evil) == []


def test_pair_that_a_class_reads_by_itself_counts_where_it_is_set(monkeypatch):
    pytest.importorskip("haystack_integrations.document_stores.opensearch")
    kind = "haystack_integrations.document_stores.opensearch.document_store.OpenSearchDocumentStore"
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "k")
    monkeypatch.delenv("OPENSEARCH_USERNAME", raising=False)
    assert uses("{hosts: 'https://evil.example'}", kind) == [("OPENSEARCH_PASSWORD", "evil.example")]


def test_strange_modules_are_not_imported():
    import sys

    assert uses("{}", "antigravity.X") == []
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("data", [None, [], {"components": 1}, {"components": {"a": None, 1: {"type": 2}}}])
def test_what_is_no_graph_sends_nothing(data):
    assert (secret_uses(data), named_hosts(data)) == ([], [])


def test_host_is_named_alike_however_it_is_written():
    assert {host_name(text) for text in ("one.example", "https://ONE.example/x", " one.example:443 ")} == {
        "one.example"
    }


def test_a_class_that_makes_its_own_generator_counts(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    judge = "haystack.components.evaluators.faithfulness.FaithfulnessEvaluator"
    assert uses("{raise_on_failure: false}", judge) == [("OPENAI_API_KEY", judge)]


def test_a_part_of_the_hub_that_needs_no_generator_sends_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert uses("{}", "khub.components.query.intent_router.IntentRouter") == []
    assert uses("{}", "haystack.components.query.query_expander.QueryExpander") == [
        ("OPENAI_API_KEY", "haystack.components.query.query_expander.QueryExpander")
    ]


@pytest.mark.parametrize(
    ("secret", "given", "sent"),
    [
        ("{env_vars: [A_KEY], strict: false}", [], []),
        ("{env_vars: [A_KEY, B_KEY], strict: false}", ["B_KEY"], ["B_KEY"]),
        ("{env_vars: [A_KEY, B_KEY], strict: true}", ["B_KEY"], ["B_KEY"]),
        ("{env_vars: [A_KEY, B_KEY], strict: true}", [], ["A_KEY", "B_KEY"]),
    ],
)
def test_a_variable_that_is_not_set_goes_nowhere_where_it_may_be_missing(monkeypatch, secret, given, sent):
    for name in given:
        monkeypatch.setenv(name, "k")
    assert uses(f"{{api_key: {secret}, url: 'https://one.example'}}") == [(name, "one.example") for name in sent]


@pytest.mark.parametrize("part", ["generators.ollama.chat.chat_generator.OllamaChatGenerator", "embedders.ollama.X"])
def test_a_key_that_a_library_reads_by_itself_counts_where_it_is_set(monkeypatch, part):
    kind = f"haystack_integrations.components.{part}"
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    assert uses("{url: 'https://evil.example'}", kind) == []
    monkeypatch.setenv("OLLAMA_API_KEY", "k")
    assert uses("{url: 'https://evil.example'}", kind) == [("OLLAMA_API_KEY", "evil.example")]
