"""Questions for what holds now, asked of editions of one text, through the graph as it is shipped."""

from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

FEE = "The annual membership fee for {} is {} euro.\n"
COLLECTIONS = {
    "named": {
        **{
            f"fees_{y}.md": f"# Membership fees {y}\n\n{FEE.format(y, f)}"
            for y, f in ((2023, 30), (2024, 50), (2025, 80))
        },
        "parking.md": "# Parking\n\nParking at the club costs 5 euro a day for everyone.\n",
    },
    "headed": {
        "b.md": "# Travel\n\n## Rates from March 2024\n\nThe daily allowance abroad is 45 euro.\n",
        "a.md": "# Travel\n\n## Rates from November 2024\n\nThe daily allowance abroad is 60 euro.\n",
        "c.md": "# Travel\n\n## Rates from January 2023\n\nThe daily allowance abroad is 40 euro.\n",
    },
    "told": {
        "board.md": "# Decision of the board\n\nSince 2025-02-01 the hall may be rented for 90 euro an hour.\n",
        "circular.md": "# Circular\n\nSince 2022-02-01 the hall may be rented for 60 euro an hour.\n",
        "notice.md": "# Notice\n\nSince 2019-05-01 the hall may be rented for 50 euro an hour.\n",
    },
    "versions": {
        "guide-v1.10.md": "# Installation guide v1.10\n\nThe default port of the server is 9443.\n",
        "guide-v1.9.md": "# Installation guide v1.9\n\nThe default port of the server is 8443.\n",
        "guide-v1.2.md": "# Installation guide v1.2\n\nThe default port of the server is 8080.\n",
    },
    "chinese": {
        "差旅标准2023版.md": "# 差旅标准（2023年版）\n\n一线城市住宿每晚不超过400元。\n",
        "差旅标准2024版.md": "# 差旅标准（2024年版）\n\n一线城市住宿每晚不超过500元。\n",
        "差旅标准2025版.md": "# 差旅标准（2025年版）\n\n一线城市住宿每晚不超过600元。\n",
    },
}
ASKED = [
    *(
        ("named", question, "fees_2025.md")
        for question in (
            "latest membership fee",
            "newest membership fee",
            "current membership fee",
            "most recent membership fee",
            "up-to-date membership fee",
            "What is the membership fee now?",
            "What does a membership cost at present?",
            "最新会费",
            "目前的会费是多少",
            "现在会费多少",
            "当前会费",
            "现行会费标准",
        )
    ),
    ("headed", "current daily allowance abroad", "a.md"),
    ("headed", "最新的国外每日津贴", "a.md"),
    ("told", "What is the current rent of the hall?", "board.md"),
    ("told", "latest price of the hall", "board.md"),
    ("versions", "default port in the latest version", "guide-v1.10.md"),
    ("versions", "最新版本的默认端口", "guide-v1.10.md"),
    ("chinese", "最新的住宿标准是多少", "差旅标准2025版.md"),
    ("chinese", "现行住宿标准", "差旅标准2025版.md"),
    ("chinese", "current hotel limit in first-tier cities", "差旅标准2025版.md"),
]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("editions")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home / "hub"))
        patch.setenv("KHUB_PIPELINES", str(PIPELINES))
        for collection, files in COLLECTIONS.items():
            (home / collection).mkdir()
            for name, text in files.items():
                (home / collection / name).write_text(text, encoding="utf-8")
            ingest([str(home / collection)], collection, "ingest")
    return home / "hub"


@pytest.fixture(autouse=True)
def editions(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(filled))
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))


def cited(question: str, collection: str) -> list[str]:
    return [Path(citation.source).name for citation in ask(question, collection, "query").citations]


@pytest.mark.parametrize(("collection", "question", "file"), ASKED)
def test_the_newest_edition_comes_first_and_the_others_stay(collection: str, question: str, file: str) -> None:
    found = cited(question, collection)

    assert found[0] == file
    assert len(found) == min(len(COLLECTIONS[collection]), 5)


def test_a_year_that_is_asked_for_is_not_outdone_by_a_newer_one() -> None:
    assert cited("What was the current membership fee in 2023?", "named")[0] == "fees_2023.md"
    assert cited("What does parking cost at present?", "named")[0] == "parking.md"
