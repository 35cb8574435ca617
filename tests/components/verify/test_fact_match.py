import pytest

from components.facts.facts import facts_in
from components.verify.fact_match import match_facts
from components.verify.statements import Statement

pytestmark = pytest.mark.unit


def match(claim, text, context="", passage=None):
    found = match_facts(facts_in(claim), Statement(text, text, context, passage))
    return (
        [fact.text for fact in found.matched],
        [(fact.text, other) for fact, other in found.conflicts],
        [fact.text for fact in found.missing],
    )


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("valid for two years", "valid for 24 months", (["two years"], [], [])),
        ("八十万元", "800,000 yuan each", (["八十万元"], [], [])),
        ("up to 500 kg", "up to 300 kg", ([], [("500 kg", "300 kg")], [])),
        ("up to 500 kg", "up to 300 metres", ([], [], ["500 kg"])),
        ("on 15 June 2025", "on 30 September 2025", ([], [("15 June 2025", "30 September 2025")], [])),
        ("in June 2025", "on 15 June 2025", (["June 2025"], [], [])),
        ("every Friday at 22:00", "每周三 22:00", (["22:00"], [("Friday", "周三")], [])),
        ("port 9443", "端口: 8443", ([], [("port 9443", "端口: 8443")], [])),
        ("E-4012 is it", "E-4013 is it", ([], [], ["E-4012"])),
        ("in Beacon 4.3", "switched off in 5.0", ([], [("Beacon 4.3", "5.0")], [])),
        ("in Beacon 4.3", "beacon-server_4.2.1_amd64.deb", ([], [], ["Beacon 4.3"])),
        ("It supports WiFi", "It supports Wi-Fi", (["WiFi"], [], [])),
        ("PowerPoints open", "a PowerPoint file opens", (["PowerPoint"], [], [])),
        ("TiKV keeps rows", "TiFlash keeps rows", ([], [], ["TiKV"])),
        ("2 of 5 robots", "5 robots wait", (["5 robots"], [], ["2"])),
    ],
)
def test_facts_beside_each_other(claim, text, expected):
    assert match(claim, text) == expected


def test_what_stands_for_another_fact_of_the_claim_is_no_conflict():
    assert match("from 16 to 30 days, not 45 days", "30 days")[1] == []


def test_headings_count_for_facts_but_make_no_conflict():
    assert match("Beacon 4.1 was released", "Released.", "Notes > Beacon 4.1")[0] == ["Beacon 4.1"]
    assert match("after 5 minutes", "It stops.", "It waits 9 minutes.") == ([], [], ["5 minutes"])
    found = match_facts(facts_in("after 9 minutes"), Statement("It stops.", "", "It waits 9 minutes.", None))
    assert (len(found.matched), found.here) == (1, [])
