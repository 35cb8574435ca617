from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from haystack import Document, default_to_dict
from haystack.core.serialization import component_to_dict

from khub.components.enrichers.min_hash import band_keys, normalized, shingles, similarity
from khub.components.enrichers.near_duplicates import NearDuplicates
from khub.components.errors import GraphError

pytestmark = pytest.mark.unit

TEXT = (
    "Every employee has 28 days of paid leave per calendar year. Leave is asked for two weeks before, if not earlier; "
    "the manager replies within three working days. Unused days may be carried over until 31 March of the next year, "
    "after which they are lost without any compensation."
)
CHINESE = (
    "员工每个自然年享有二十八天带薪假期，休假须提前两周申请，经理应在三个工作日内答复。未用完的天数可以结转到次年三月三十一日，逾期作废。"
    * 4
)


def run(*chunks: Document, **parameters: Any) -> list[Document]:
    return NearDuplicates(**parameters).run(list(chunks))["documents"]


def pair(make_chunks, one: str, other: str, **meta: Any) -> tuple[Document, Document]:
    return make_chunks(one, doc_id="one", page=2)[0], make_chunks(other, doc_id="other", page=7, **meta)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT, TEXT),
        (TEXT, TEXT.upper().replace(" ", "\n ")),
        (CHINESE, CHINESE),
        (CHINESE, CHINESE.replace("，", "，\n").replace("，", ",")),
        (TEXT + " It is so.", TEXT),
    ],
)
def test_a_chunk_that_says_nothing_new_is_a_duplicate_of_the_first(one: str, other: str, make_chunks) -> None:
    first, second = pair(make_chunks, one, other)
    result = NearDuplicates().run([first, second])
    assert result["documents"] == [first]
    assert result["duplicates"] == [replace(second, meta={**second.meta, "duplicate_of": first.id})]
    assert list(result["keys"]) == [first.id]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT, TEXT.replace("28", "29")),
        (TEXT, TEXT.replace("manager", "director")),
        (TEXT, TEXT + " It is so."),
        (CHINESE, CHINESE.replace("经理", "主管")),
        (TEXT, TEXT[: len(TEXT) // 2]),
        ("1.5 mm" + TEXT, "15 mm" + TEXT),
    ],
)
def test_a_chunk_with_a_word_or_number_of_its_own_is_kept(one: str, other: str, make_chunks) -> None:
    chunks = pair(make_chunks, one, other)
    assert run(*chunks) == list(chunks)


def test_how_similar_and_how_much_may_be_new(make_chunks) -> None:
    chunks = pair(make_chunks, TEXT + " That is what the works council has agreed to.", TEXT)
    assert [len(run(*chunks, threshold=threshold)) for threshold in (0.8, 1.0)] == [1, 2]
    changed = pair(make_chunks, TEXT, TEXT.replace("manager", "director"))
    assert [len(run(*changed, new_words=count)) for count in (0, 1)] == [2, 1]


def test_short_chunks_mean_something_under_their_heading_only(make_chunks) -> None:
    def chunks(one: str, other: str) -> list[Document]:
        pairs = ((one, "one"), (other, "other"))
        return [make_chunks("Default: 30", doc_id=d, section=section, title=d.title())[0] for section, d in pairs]

    assert len(run(*chunks("Timeout", "Retries"))) == 2
    assert len(run(*chunks("Timeout", "Timeout"))) == 1
    assert len(run(*chunks("One > Timeout", "Other > Timeout"))) == 1, "the first heading is the title"
    assert len(run(*chunks("Timeout", "Retries"), stands_alone=5)) == 1


def test_chunks_with_other_levels_of_access_are_no_duplicates(make_chunks) -> None:
    def kept(one: Any, other: Any) -> int:
        pairs = ((one, "one"), (other, "other"))
        chunks = [make_chunks(TEXT, doc_id=d, **({} if a is None else {"access_level": a}))[0] for a, d in pairs]
        return len(run(*chunks))

    assert [kept("a", "b"), kept("a", None), kept(["a"], ["a", "b"]), kept(2, "2"), kept([], None)] == [2] * 5
    assert [kept("a", "a"), kept("a", ["a"]), kept(["a", "b"], ["b", "a", "a"]), kept(2, 2)] == [1] * 4
    near = make_chunks(TEXT + " It is so.", doc_id="one", access_level="a")[0]
    assert len(run(near, make_chunks(TEXT, doc_id="other", access_level="b")[0])) == 2


def test_a_row_of_another_table_is_another_row(make_chunks) -> None:
    first, second = pair(make_chunks, "| 1 | 2 |", "| 1 | 2 |")
    first.meta["table_header"] = "| price | stock |"
    assert len(run(first, second)) == 2


@dataclass
class Stored:
    chunks: list[Document] = field(default_factory=list)
    keys: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def find(self, collection: str, keys: Any) -> dict[str, list[Document]]:
        self.asked.append(collection)
        return {key: [c for c in self.chunks if key in self.keys[c.id]] for key in keys}

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self)


def test_stored_chunks_are_known_by_their_keys(make_chunks) -> None:
    first, second = pair(make_chunks, TEXT + " It is so.", TEXT)
    before = NearDuplicates().run([first])
    known = Stored([first], before["keys"])
    result = NearDuplicates(known=known).run([second], collection="books")
    assert result["documents"] == []
    assert [chunk.meta["duplicate_of"] for chunk in result["duplicates"]] == [first.id]
    assert known.asked == ["books"]
    assert NearDuplicates().run([second])["duplicates"] == []
    own = replace(second, meta={**second.meta, "doc_id": "one"})
    again = NearDuplicates(known=known).run([own], collection="books")
    assert again["documents"] == [own], "the stored chunk is of the document that is being replaced"


def test_keys_of_similar_texts_meet_and_similarity_is_exact() -> None:
    one, other = (shingles(normalized(text)) for text in (TEXT, TEXT + " It is so."))
    assert set(band_keys(one)) & set(band_keys(other))
    assert not set(band_keys(one)) & set(band_keys(shingles(CHINESE)))
    exact = {TEXT[i : i + 5] for i in range(len(TEXT) - 4)}
    longer = {f"{TEXT} It is so."[i : i + 5] for i in range(len(TEXT) + 6)}
    assert similarity(shingles(TEXT), shingles(f"{TEXT} It is so.")) == len(exact & longer) / len(exact | longer)
    assert similarity(shingles(""), shingles("")) == 1


def test_keys_are_stored_so_they_must_never_change() -> None:
    keys = band_keys(shingles(normalized("The manager replies  within three WORKING days.")))
    assert (keys[0], len(keys)) == ("0021a03180a2382b2a", 20)


def test_many_chunks_with_equal_parts_take_no_time(make_chunks) -> None:
    chunks = make_chunks(*(f"{TEXT} Number {number}." for number in range(150)))
    assert len(run(*chunks)) == 150


@pytest.mark.parametrize(
    "parameters", [{"threshold": 0.5}, {"threshold": 1.1}, {"new_words": -1}, {"stands_alone": -1}]
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=next(iter(parameters))):
        NearDuplicates(**parameters)


def test_a_graph_holds_it() -> None:
    data = component_to_dict(NearDuplicates(threshold=0.8, known=Stored()), "unique")["init_parameters"]
    assert data["threshold"] == 0.8
    assert data["known"]["type"].endswith("Stored")
