"""Questions with a mistyped word, through the graph as it is shipped."""

from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

FILES = {
    "emergency.md": "# In an emergency\n\nEveryone walks to the assembly point in the car park.\n",
    "charging.md": "# Robots\n\nThe charging station stands beside the elevator of the warehouse.\n",
    "leave.md": "# Leave\n\nUnused vacation expires at the end of March.\n",
    "people.md": "# People\n\nMr Hanson keeps the keys; Ms Orwell keeps the minutes.\n",
    "parts.md": "# Parts\n\nThe part kx4012 fits the small pump.\n",
    "指南.md": "# 指南\n\n报销请在 Expensify 系统中提交，附上发票。\n",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("spelling")
    (home / "files").mkdir()
    (home / "more").mkdir()
    for name, text in FILES.items():
        (home / "files" / name).write_text(text, encoding="utf-8")
    (home / "more" / "garden.md").write_text("# Garden\n\nTomatoes want sun.\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home / "hub"))
        patch.setenv("KHUB_PIPELINES", str(PIPELINES))
        ingest([str(home / "files")], "docs", "ingest")
        ingest([str(home / "more")], "more", "ingest")
        for name, level in (("garden.md", "public"), ("pay.md", "secret")):
            (home / "more" / "pay.md").write_text("# Pay\n\nEvery salary has an allowance.\n", encoding="utf-8")
            ingest([str(home / "more" / name)], "levels", "ingest", {"access_level": level})
    return home / "hub"


@pytest.fixture(autouse=True)
def mistyped(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(filled))
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))


SLIPS = [
    ("assmbly point", "assmbly", "assembly", "emergency.md"),
    ("Asembly point", "Asembly", "assembly", "emergency.md"),
    ("where is the assembbly point?", "assembbly", "assembly", "emergency.md"),
    ("where is the assebmly", "assebmly", "assembly", "emergency.md"),
    ("chargign station", "chargign", "charging", "charging.md"),
    ("which floor has the elevtor", "elevtor", "elevator", "charging.md"),
    ("unused vacaton", "vacaton", "vacation", "leave.md"),
    ("expensfy 在哪里提交", "expensfy", "expensify", "指南.md"),
]


@pytest.mark.parametrize("legs", [None, ["sparse"]])
@pytest.mark.parametrize(("question", "typed", "meant", "file"), SLIPS)
def test_a_mistyped_word_finds_and_the_answer_says_so(
    question: str, typed: str, meant: str, file: str, legs: list[str] | None
) -> None:
    answer = ask(question, "docs", "query", legs=legs)

    assert answer.corrections == {typed: meant}
    assert Path(answer.citations[0].source).name == file
    assert typed in answer.answer
    assert meant in answer.answer


def test_it_is_told_for_all_collections_too() -> None:
    answer = ask("assmbly point", None, "query")

    assert answer.corrections == {"assmbly": "assembly"}
    assert "`assembly`" in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "assembly point",  # the documents have it
        "assemblies",  # in another form
        "Where does Mr Hansen sit?",  # another person
        "What is kx4021?",  # another part
        'the "assmbly point"',  # as it is
        "a principle of the pint",  # English words that the documents lack
        "Wo ist der Sammelpunkt?",
        "集合点在哪里",
    ],
)
def test_nothing_else_is_corrected(question: str) -> None:
    answer = ask(question, "docs", "query")

    assert answer.corrections == {}
    assert "instead of" not in answer.answer


def test_what_the_user_s_synonyms_know_is_right(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = filled / "synonyms.txt"
    file.write_text("assmbly => elevator\n", encoding="utf-8")
    try:
        answer = ask("assmbly", "docs", "query")
    finally:
        file.unlink()

    assert answer.corrections == {}
    assert Path(answer.citations[0].source).name == "charging.md"


def test_a_word_that_may_not_be_read_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("allowanec", "levels", "query").corrections == {"allowanec": "allowance"}

    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert ask("allowanec", "levels", "query").corrections == {}
