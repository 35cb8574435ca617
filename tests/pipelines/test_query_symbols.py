"""Questions that are a symbol, through the graph as it is shipped."""

from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

LEGEND = {
    "🚀": "means the release is live.",
    "🇩🇪": "marks what holds in Germany alone.",
    "★": "stands beside what sells best.",
    "☎": "says that an order is taken by telephone.",
    "→": "leads to the next step of the form.",
    "©": "stands before the owner of a text.",
    "€": "is the currency of all prices.",
    "§": "begins the number of a paragraph.",
    "✅": "表示审批已经通过。",
    "⚠": "表示设备需要停机检查。",
}
FILES = {
    **{f"legend{n}.md": f"# Codes of team {n}\n\n{symbol} {said}\n" for n, (symbol, said) in enumerate(LEGEND.items())},
    "heat.md": "# 储存\n\n样品在25℃以下保存。\n",
    "vitamins.md": "# Vitamins\n\nVitamin C is kept cool, vitamin D dry.\n",
    **{
        f"other{n}.md": f"# Notice {n}\n\nThis notice means that team {n} is on leave in week {n}.\n" for n in range(20)
    },
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("symbols")
    (home / "files").mkdir()
    for name, text in FILES.items():
        (home / "files" / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home / "hub"))
        patch.setenv("KHUB_PIPELINES", str(PIPELINES))
        ingest([str(home / "files")], "docs", "ingest")
    return home / "hub"


@pytest.fixture(autouse=True)
def legends(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(filled))
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))


@pytest.mark.parametrize("symbol", LEGEND)
@pytest.mark.parametrize("question", ["{}", "What does {} mean?", "{}是什么意思", "{}\ufe0f"])
def test_a_symbol_finds_the_text_that_holds_it(symbol: str, question: str) -> None:
    answer = ask(question.format(symbol), "docs", "query")

    assert not answer.abstained
    assert symbol in answer.citations[0].text
    assert symbol in answer.citations[0].evidence


def test_a_unit_is_found() -> None:
    assert Path(ask("℃", "docs", "query").citations[0].source).name == "heat.md"


def test_a_symbol_that_no_text_holds_is_not_found() -> None:
    assert ask("🦄", "docs", "query").abstained


def test_a_question_may_have_a_symbol_that_no_text_holds() -> None:
    answer = ask("Where are samples kept 🙏", "docs", "query")

    plain = ask("Where are samples kept", "docs", "query")
    assert answer.confidence == pytest.approx(plain.confidence, abs=0.1)
    assert answer.citations[0].chunk_id == plain.citations[0].chunk_id
