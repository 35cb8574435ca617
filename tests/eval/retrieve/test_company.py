"""Passages beside a set's own."""

import json

import pytest

from components.errors import KhubError
from eval.retrieve.company import in_company, read_passages
from eval.retrieve.passages import read_retrieval_set, write_passages

pytestmark = pytest.mark.unit


@pytest.fixture
def news(tmp_path):
    file = tmp_path / "news.jsonl"
    rows = [{"_id": "p1", "title": "Late news", "text": "A storm is on its way."}, {"_id": "n2", "text": "  "}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_passages_of_a_file_come_after_the_sets_own(beir, news):
    data = read_retrieval_set(beir(), with_title=True)
    [more] = in_company([data], [news], together=False, with_title=True)
    assert [passage.id for passage in more.passages] == ["small/p1", "small/p2", "small/p3", "small/p4", "news/p1"]
    assert more.passages[-1].title == "Late news"
    assert more.gains["q2"] == {"small/p2": 2, "small/p3": 1}
    assert more.queries == data.queries
    assert in_company([data], [news], together=False, with_title=False)[0].passages[-1].title == ""


def test_sets_in_one_collection_keep_their_own_questions(beir):
    one, other = (read_retrieval_set(beir(name), with_title=True) for name in ("one", "other"))
    together = in_company([one, other], [], together=True, with_title=True)
    assert together[0].passages == together[1].passages
    assert len(together[0].passages) == 8
    assert write_passages(together[0]) == write_passages(together[1])
    assert (together[0].gains["q1"], together[1].gains["q1"]) == ({"one/p1": 1}, {"other/p1": 1})
    assert together[1].passage_of("4/_.md") == "other/p1"


@pytest.mark.parametrize("text", ['{"_id": "a"}', '{"_id": "a", "text": 3}', "no json", '{"_id": "a", "text": " "}'])
def test_a_file_without_readable_passages_is_named(tmp_path, text):
    file = tmp_path / "broken.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(KhubError, match=r"broken\.jsonl"):
        read_passages(file)
    with pytest.raises(KhubError, match="absent"):
        read_passages(tmp_path / "absent.jsonl")
