"""What the reader's training makes of its material: changed names, titles, rows."""

import pytest

pytest.importorskip("scipy", reason="the lab needs the extra eval")

from khub.eval.lab.reader.changed import changed_claims, changed_questions
from khub.eval.lab.reader.material import VERDICTS, Asked, Claimed, Read
from khub.eval.lab.reader.rows_asked import rows_asked
from khub.eval.lab.reader.titled import titled, with_openings

pytestmark = pytest.mark.unit

ACME = Asked(
    "What did Acme earn in 2019?", "en", "reports", [Read("In 2019 Acme earned 4 million.", True, "4 million")],
    [Read("Acme has a canteen.", False, how="same_article")],
)  # fmt: skip
BOLT = Asked("Where does Bolt work?", "en", "reports", [Read("The office of Bolt is in Rome.", True, "in Rome")], [])


def test_a_changed_question_names_what_its_passage_does_not_hold():
    for seed in range(20):
        found = list(changed_questions([ACME, BOLT], seed))
        assert found
        for one in found:
            assert one.answers == []
            assert one.question not in (ACME.question, BOLT.question)
            assert not one.others[0].answers


def test_a_changed_claim_is_refuted():
    claims = [
        Claimed("Acme earned 4 million.", "Acme earned 4 million.", "en", 0),
        Claimed("It is so.", "It is.", "en", 0),
    ]
    changed = list(changed_claims(claims, 1))
    assert len(changed) == 2
    assert all(VERDICTS[one.verdict] == "refuted" for one in changed)
    assert all(one.claim != claims[n].claim for n, one in enumerate(changed))


def test_what_a_question_names_stands_in_the_title_alone_and_another_title_does_not_answer():
    for seed in range(20):
        for one in titled([ACME, BOLT], seed):
            [answer] = one.answers
            wrong = next(read for read in one.others if read.how == "other title")
            assert answer.passage == wrong.passage
            assert answer.head != wrong.head
            assert any(word in answer.head for word in ("Acme", "Bolt", "2019"))
            assert answer.evidence in answer.passage


def test_a_share_of_the_passages_has_its_own_beginning_for_a_title():
    opened = list(with_openings([ACME] * 200, 0.5, 3))
    with_heads = [one for one in opened if one.answers[0].head]
    assert 60 < len(with_heads) < 140
    assert ACME.answers[0].passage.startswith(with_heads[0].answers[0].head)


@pytest.mark.parametrize(
    "passage",
    [
        "Costs | 2018 | 2019\nSalaries | 100 | 120\nTravel | 7 | 9\nRent | 30 | 31",
        "联系人：张三\n联系电话：0755-1234\n地址：深圳市南山区\n邮编：518000",
    ],
)
def test_a_row_is_asked_for_and_the_passage_without_it_does_not_answer(passage):
    found = list(rows_asked([passage], "rows", 1))
    assert found
    for one in found:
        assert one.answers[0].evidence in one.answers[0].passage
        assert one.answers[0].evidence not in one.others[0].passage
