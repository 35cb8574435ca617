"""Verdicts by rules over small passages, with the small model."""

import json

import pytest

from khub.components.answer import LegReport
from khub.components.cancellation import RunCancelledError
from khub.components.errors import GraphError
from khub.components.value import as_json
from khub.components.verification import Difference
from khub.components.verify.claim_judge import ClaimJudge
from tests.components.verify.conftest import in_cancelled_run, passage_of

pytestmark = pytest.mark.unit

PASSAGES = [
    passage_of(
        "## Specifications\n\n| Property | Value |\n| --- | --- |\n| Maximum payload | 300 kg |\n"
        "| Running time per charge | 9 hours |\n",
        title="Ember 300 manual", section="Specifications",
    ),
    passage_of(
        "The job history is kept for 400 days and can be exported as CSV. Video from the depth camera is never stored; "
        "only still pictures are kept. A standby server takes over after 15 seconds.",
        title="Release notes", source="/notes/release.md", page=2,
    ),
    passage_of(
        "员工应在返回后 15 个自然日内提交报销单。报销款项于每周四统一支付到员工的工资卡。"
        "途中的违章罚款公司不予报销。",
        title="差旅制度",
    ),
]  # fmt: skip
FAST = {"model": "khub-fast", "interaction_model": "khub-fast"}


@pytest.fixture(scope="module")
def judge():
    made = ClaimJudge(**FAST)
    made.warm_up()
    return made


def verdict(judge, claim, passages=PASSAGES):
    (said,) = judge.run([claim], [passages], collection="c")["verification"].claims
    return said


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The job history is kept for 400 days.", "agrees"),
        ("The maximum payload of the Ember 300 is 300 kg.", "agrees"),
        ("员工应在返回后 15 天内提交报销单。", "agrees"),
        ("Video from the depth camera is never stored.", "agrees"),
        ("The job history is kept for 90 days.", "differs"),
        ("A standby server takes over after 60 seconds.", "differs"),
        ("Video from the depth camera is stored.", "differs"),
        ("员工应在返回后 30 天内提交报销单。", "differs"),
        ("报销款项于每周一统一支付到员工的工资卡。", "differs"),
        ("途中的违章罚款由公司报销。", "not_found"),
        ("The robot can be controlled by voice.", "not_found"),
        ("The canteen charges six euros for lunch.", "not_found"),
        ("公司的产假是 158 天。", "not_found"),
        ("A standby server needs 15 GB of memory.", "not_found"),
    ],
)
def test_verdicts_by_rules(judge, claim, expected):
    said = verdict(judge, claim)
    assert said.verdict == expected, said
    assert 0 <= said.confidence <= 1
    assert said.by == "rules"
    assert said.citations


def test_reason_facts_and_citation(judge):
    said = verdict(judge, "A standby server takes over after 60 seconds.")
    assert said.reason == "60 seconds here, 15 seconds there"
    assert said.facts.differs == [Difference("60 seconds", "15 seconds")]
    citation = said.citations[0]
    assert citation.evidence == "A standby server takes over after 15 seconds."
    assert (citation.id, citation.chunk_id, citation.title, citation.page) == (
        1, PASSAGES[1].id, "Release notes", 2,
    )  # fmt: skip
    assert citation.text == PASSAGES[1].content
    assert verdict(judge, "员工应在返回后 15 天内提交报销单。").reason.endswith("：15 天")


def test_what_cannot_be_judged_is_not_found_with_the_closest_passage(judge):
    said = verdict(judge, "A standby server named Ruth takes over after 15 seconds.")
    assert said.verdict == "not_found"
    assert "could not be judged" in said.reason
    assert said.facts.missing == ["Ruth"]
    assert said.citations[0].evidence == "A standby server takes over after 15 seconds."


@pytest.mark.parametrize("claim", ["Never clean the brewing unit in the dishwasher.", "切勿用洗碗机清洗冲泡器。"])
def test_a_sentence_of_a_document_agrees(judge, claim):
    manual = passage_of(f"Rinse it under the tap once a week. {claim} Never pull it out while it is hot. 不要拆开。")
    assert verdict(judge, claim, [manual]).verdict == "agrees"


def test_a_number_in_the_other_language(judge):
    assert verdict(judge, "Expense reports are handed in within 15 days after the return.").verdict != "differs"
    other = verdict(judge, "任务历史保留 90 天。")
    assert other.verdict != "agrees"


def test_the_whole(judge):
    claims = ["The job history is kept for 400 days.", "The job history is kept for 90 days.", "It sings."]
    leg = LegReport("sparse", True, 3)
    failed = [{"stage": "sparse", "reason": "slow"}, {"stage": "dense", "reason": "down"}]
    found = judge.run(claims, [PASSAGES, PASSAGES, []], legs=[leg], collection="c", degraded=failed)["verification"]
    json.dumps(as_json(found), allow_nan=False)
    assert found.summary == {"agrees": 1, "differs": 1, "not_found": 1}
    assert found.collection == "c"
    assert found.legs == [leg]
    assert [entry.stage for entry in found.degraded] == ["dense", "sparse"]
    assert found.claims[2].reason == "no passage speaks about this"


def test_so_many_passages_are_cited_at_most():
    twice = [PASSAGES[1], passage_of("The job history is kept for 400 days.", source="/b.md")]
    for top_k in (1, 2):
        said = verdict(ClaimJudge(top_k=top_k, **FAST), "The job history is kept for 400 days.", twice)
        assert len(said.citations) == top_k


def test_numbers_out_of_bounds():
    with pytest.raises(GraphError, match="top_k=0"):
        ClaimJudge(top_k=0)


def test_a_model_without_token_vectors_is_refused():
    with pytest.raises(GraphError, match="'khub-base' has no vectors of single tokens"):
        ClaimJudge(interaction_model="khub-base").warm_up()


def test_no_claim_is_judged_in_a_cancelled_run(judge):
    with pytest.raises(RunCancelledError):
        in_cancelled_run(lambda: judge.run(["It is red."], [PASSAGES]))


@pytest.mark.parametrize("rest", [", and so on" * 50, " ".join(map(str, range(60)))])
def test_of_a_claim_that_is_too_long_nothing_is_said_and_the_reason_tells_it(judge, rest):
    claim = "The job history is kept for 400 days"
    assert verdict(judge, f"{claim}.").verdict == "agrees"
    said = verdict(judge, f"{claim} {rest}.")
    assert said.verdict == "not_found"
    assert "too long" in said.reason
    assert said.claim == f"{claim} {rest}."
    assert "400 days" in said.citations[0].evidence
    assert "太长" in verdict(judge, "员工应在返回后 15 天内提交报销单" + "，等等" * 200 + "。").reason
