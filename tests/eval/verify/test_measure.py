import json

import pytest

from khub.components.errors import EvaluationError
from khub.eval.verify.labelled_claims import CLAIMS, read_claims
from khub.eval.verify.measure import counts, measure
from khub.eval.verify.report import markdown

LABELLED = [
    ("a", "The heron is 90 cm tall.", "en", "agrees", "birds.md", "tune"),
    ("b", "The heron is 30 cm tall.", "en", "differs", "birds.md", "report"),
    ("c", "鹭会说法语。", "zh", "not_found", None, "report"),
    ("d", "The heron sings at night.", "en", "agrees", "birds.md", "report"),
]


@pytest.fixture
def claims(tmp_path):
    file = tmp_path / "claims.jsonl"
    rows = [
        {"id": i, "claim": claim, "language": language, "cross_lingual": language == "zh", "kind": "number",
         "verdict": verdict, "source": source, "half": half}
        for i, claim, language, verdict, source, half in LABELLED
    ]  # fmt: skip
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return file


@pytest.mark.unit
def test_the_claims_that_ship_are_balanced():
    claims = read_claims(CLAIMS)
    assert len({claim.id for claim in claims}) == len({claim.claim for claim in claims}) == len(claims) >= 90
    samples = CLAIMS.parents[1] / "samples"
    for language in ("en", "zh"):
        for half in ("tune", "report"):
            own = [c for c in claims if (c.language, c.half) == (language, half)]
            assert {v: sum(c.verdict == v for c in own) for v in ("agrees", "differs", "not_found")} == {
                "agrees": 10, "differs": 10, "not_found": 10,
            }  # fmt: skip
            assert sum(c.cross_lingual for c in own) >= 9
    assert all((samples / claim.source).is_file() for claim in claims if claim.source)
    assert {claim.source is None for claim in claims if claim.verdict == "not_found"} == {True}


@pytest.mark.unit
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"tune"', '"both"', "has 'both'"), ("agrees", "true", "has 'true'"),
        ('{"id"', '{"no"', "no labelled claim"), ("{", "", "no labelled claim"),
    ],
)  # fmt: skip
def test_mistakes_name_the_line(claims, old, new, said):
    claims.write_text(claims.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(EvaluationError, match=rf"claims.jsonl:1.*{said}"):
        read_claims(claims)


@pytest.mark.unit
def test_files_that_hold_nothing(tmp_path):
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_claims(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match="holds no claim"):
        read_claims(tmp_path / "empty.jsonl")


@pytest.mark.integration
def test_verdicts_are_counted_and_reported(claims, tmp_path):
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "birds.md").write_text("# Birds\n\nThe heron is 90 cm tall. It eats fish.\n", encoding="utf-8")
    rows, degraded = measure(read_claims(claims), folder, "verify", "ingest")
    assert [row["said"] for row in rows] == ["agrees", "differs", "not_found", "not_found"]
    assert rows[0]["source"] == "birds.md"
    assert degraded == []
    found = counts(rows)
    assert (found["claims"], found["right"]) == (4, 3)
    assert found["by_verdict"]["agrees"] == {
        "claims": 2, "right": 1, "said": {"agrees": 1, "differs": 0, "not_found": 1},
    }  # fmt: skip
    assert found["precision"] == {"agrees": (1, 1), "differs": (1, 1), "not_found": (1, 2)}
    assert found["cited"] == (2, 2)
    text = markdown(rows, degraded, {"graph": "verify"})
    assert "| English | agrees | 1/1 (100%) | 1 | 0 | 0 |" in text
    assert "| all | **all** | **2/3 (67%)** | | | |" in text
    assert "- d (number): The heron sings at night. agrees -> not_found" in text
