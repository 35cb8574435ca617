import pytest

from khub.components.text.facts import facts_in, without_values

pytestmark = pytest.mark.unit

DAY = 86400.0


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("800,000 yuan", [("number", 800_000.0, "yuan")]),
        ("每人八十万元", [("number", 800_000.0, "yuan")]),
        ("80 万元", [("number", 800_000.0, "yuan")]),
        ("3.2 million euros", [("number", 3_200_000.0, "euro")]),
        ("¥ 1,200", [("number", 1200.0, "yuan")]),
        ("百分之十二点五", [("number", 12.5, "percent")]),
        ("总价的千分之五", [("number", 0.5, "percent")]),
        ("0.5‰", [("number", 0.5 * 0.1, "percent")]),
        ("万分之3", [("number", 0.03, "percent")]),
        ("十万分之一", [("number", 0.001, "percent")]),
        ("12.5 %", [("number", 12.5, "percent")]),
        ("within fifteen working days", [("number", 15 * DAY, "duration")]),
        ("15 个自然日内", [("number", 15 * DAY, "duration")]),
        ("三百二十毫秒", [("number", 0.32, "duration")]),
        ("a two-hour course", [("number", 7200.0, "duration")]),
        ("for two years", [("number", 24.0, "months")]),
        ("24 个月", [("number", 24.0, "months")]),
        ("1.8 litres", [("number", 1.8, "volume")]),
        ("1.5 km", [("number", 1500.0, "length")]),
        ("the 15 GB of RAM", [("number", 15e9, "data"), ("code", "ram", "")]),
        ("30GB", [("number", 30e9, "data")]),
        ("每页最多三个浮动体", [("number", 3.0, "")]),
        ("three active partitions", [("number", 3.0, "")]),
        ("10pt, 8-bit", [("number", 10.0, "pt"), ("number", 8.0, "bits")]),
        ("TiFlash stores columns", [("code", "tiflash", "")]),
        ("Ask GitHub, or Lyon", [("code", "github", "")]),
        ("--force /etc/apt/sources.list", [("code", "--force", ""), ("code", "/etc/apt/sources.list", "")]),
        ("512 MiB", [("number", 512 * 1024.0**2, "data")]),
        ("-10 °C", [("number", -10.0, "temperature")]),
        ("k = 60", [("number", 60.0, "")]),
        ("17 February 2026", [("date", "2026-02-17", "")]),
        ("2026 年 2 月 17 日", [("date", "2026-02-17", "")]),
        ("in September 2026", [("date", "2026-09", "")]),
        ("成立于 2009 年", [("date", "2009", "")]),
        ("founded in 2011", [("date", "2011", "")]),
        ("一九九八年", [("date", "1998", "")]),
        ("by 31 March", [("date", "-03-31", "")]),
        ("3 月 31 日", [("date", "-03-31", "")]),
        ("凌晨两点半", [("time", "02:30", "")]),
        ("at 02:30", [("time", "02:30", "")]),
        ("at 9:05 pm", [("time", "21:05", "")]),
        ("下午三点", [("time", "15:00", "")]),
        ("every Thursday", [("weekday", "3", "")]),
        ("每周四", [("weekday", "3", "")]),
        ("7070 端口", [("number", 7070.0, "")]),
        ("E-4012", [("code", "e-4012", "")]),
        ("log.retention_days", [("code", "log.retention_days", "")]),
        ("P6 至 P8", [("code", "p6", ""), ("code", "p8", "")]),
        ("Beacon 4.2, then 4.2.1", [("number", 4.2, ""), ("code", "4.2.1", "")]),
        ("The Ember 300 lifts 300 kg", [("number", 300.0, ""), ("number", 300.0, "mass")]),
        ("一样，十分统一，第一章，三分之一", []),
        ("nobody, or one of them, was there", []),
    ],
)  # fmt: skip
def test_facts(text, facts):
    found = [(fact.kind, fact.value, fact.quantity) for fact in facts_in(text)]
    assert sorted(found, key=str) == sorted(facts, key=str)


def test_what_a_sentence_speaks_of():
    said = without_values("Beacon 4.2 keeps jobs of RAID6 for 400 days from 1 May 2026").split()
    assert said == ["Beacon", "keeps", "jobs", "of", "RAID6", "for", "from"]
