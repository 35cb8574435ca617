import pytest

from khub.components.home import hub_home

pytestmark = pytest.mark.integration


def test_the_explanation_follows_the_answer(khub, filled):
    result = khub("query", "How long does the battery of the Ember last?", "--explain", "-k", 2)
    assert result.exit_code == 0, result.output
    answer, _, explanation = result.stdout.partition("terms and their rarity (idf): ")
    assert "**[1] Ember manual" in answer
    lines = explanation.splitlines()
    assert "batteri" in lines[0]
    assert any(line.startswith("leg dense: ") for line in lines)
    assert any(line.startswith("leg sparse: ") and "of the terms" in line for line in lines)
    head = next(line for line in lines if line.startswith("result\t")).split("\t")
    first = next(line for line in lines if line.startswith("[1]\t")).split("\t")
    places = dict(zip(head, first, strict=True))
    assert {"dense", "sparse", "join", "rank"} <= set(head)
    assert places["dense"].startswith("1 (")
    assert places["place"] == "ember.md, Ember manual > Battery"
    assert any(line.startswith("intent: search (confidence ") for line in lines)
    assert any(line.startswith("confidence: 0.") or line == "confidence: 1.00" for line in lines)
    terms = next(line for line in lines if line.startswith("[1] terms: "))
    assert "ember x" in terms


def test_as_json_it_is_part_of_the_answer(khub_json, filled):
    answer = khub_json("query", "Which port does the gateway use?", "--explain", "--filter", "doc_type=text")
    explained = answer["explain"]
    assert [r["chunk_id"] for r in explained["results"]] == [c["chunk_id"] for c in answer["citations"]]
    assert explained["filters"]["given"]
    assert "explain" not in khub_json("query", "Which port does the gateway use?")


def test_the_filter_and_a_leg_that_is_left_out_are_told(khub, filled):
    result = khub("query", "Which port?", "--explain", "--filter", "doc_type=text", "--legs", "sparse")
    assert "filter: " in result.stdout
    assert "leg dense: not used: left out by the caller" in result.stdout


@pytest.mark.parametrize(("line", "told"), [("battery, accu", "accu "), ("battery, power pack", '"power pack" ')])
def test_further_words_are_told_with_their_weight_and_what_they_stand_for(khub, filled, line, told):
    (hub_home() / "synonyms.txt").write_text(f"{line}\n", encoding="utf-8")
    result = khub("query", "How long does the battery last?", "--explain")
    expansions = next(one for one in result.stdout.splitlines() if one.startswith("expansions: "))
    assert told in expansions
    assert " for batteri" in expansions or " for battery" in expansions


def test_the_english_words_of_a_chinese_question_are_told(khub, filled):
    lines = khub("query", "网关用哪个端口？", "--explain").stdout.splitlines()
    glosses = next(line for line in lines if line.startswith("glosses: en "))
    assert "port" in glosses.split()
    assert not any(line.startswith("glosses") for line in khub("query", "Which port?", "--explain").stdout.splitlines())
