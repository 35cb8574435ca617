import pytest
import yaml

from khub.server.clients.yaml_config import with_yaml_entry, yaml_entry

pytestmark = pytest.mark.unit
ENTRY = {"type": "stdio", "command": "/x/python", "args": ["-m"], "env": {"KHUB_HOME": "/数据"}}


def test_a_new_file_is_a_block_of_one_server():
    block = yaml.safe_load(with_yaml_entry("", "mcpServers", "hub", ENTRY))
    assert block["schema"] == "v1"
    assert block["name"]
    assert block["mcpServers"] == [{"name": "hub", **ENTRY}]


def test_other_servers_and_fields_stay():
    text = "name: Mine\nmcpServers:\n- name: other\n  command: x\n- name: hub\n  command: old\n"
    block = yaml.safe_load(with_yaml_entry(text, "mcpServers", "hub", ENTRY))
    assert block["name"] == "Mine"
    assert [item["name"] for item in block["mcpServers"]] == ["other", "hub"]
    assert yaml_entry(text, "mcpServers", "hub") == {"name": "hub", "command": "old"}


def test_an_entry_is_removed():
    once = with_yaml_entry("", "mcpServers", "hub", ENTRY)
    assert with_yaml_entry(once, "mcpServers", "hub", None) == ""
    two = with_yaml_entry(once, "mcpServers", "other", ENTRY)
    assert yaml_entry(with_yaml_entry(two, "mcpServers", "hub", None), "mcpServers", "other") is not None


@pytest.mark.parametrize(("text", "said"), [("a: [", "no YAML"), ("- a", "list"), ("mcpServers: {}\nx: 1", None)])
def test_a_file_that_is_not_understood_is_refused(text, said):
    if said is None:
        assert with_yaml_entry(text, "mcpServers", "hub", ENTRY)
        return
    with pytest.raises(ValueError, match=said):
        with_yaml_entry(text, "mcpServers", "hub", ENTRY)
