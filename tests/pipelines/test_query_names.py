"""English questions with names, asked of Chinese documents through the graph as it is shipped."""

from pathlib import Path

import pytest

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

FILES = {
    "人事.md": "# 人事公告\n\n张伟是深圳分公司的总经理，负责华南的销售。\n\n王晓明任采购部经理，此前管理仓库。\n",
    "老磨坊.md": "# 老磨坊\n\n伊丽莎白从邮差手里接过一封没有署名的信，信上写着：磨坊的钥匙在钟的背后。\n",
    "命名.md": "# 文件命名\n\n文件名里的日期写成年月日八位数字，例如20240305。\n",
    "食堂.md": "# 食堂\n\n午餐从十一点半供应到一点，每份十二元。\n",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("chinese")
    (home / "files").mkdir()
    for name, text in FILES.items():
        (home / "files" / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home / "hub"))
        patch.setenv("KHUB_PIPELINES", str(PIPELINES))
        ingest([str(home / "files")], "docs", "ingest")
    return home / "hub"


@pytest.fixture(autouse=True)
def chinese(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(filled))
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("What is Zhang Wei's position?", "人事.md"),
        ("Which department does Xiaoming Wang lead?", "人事.md"),
        ("What did the letter to Elizabeth say about the key?", "老磨坊.md"),
        ("Is the date in a file name written as YYYY-MM-DD?", "命名.md"),
    ],
)
def test_a_name_that_they_hold_in_characters_or_cannot_hold_turns_no_question_away(question: str, file: str) -> None:
    answer = ask(question, "docs", "query")

    assert not answer.abstained
    assert file in {Path(citation.source).name for citation in answer.citations}
    assert "No document holds" not in answer.answer


@pytest.mark.parametrize(
    ("question", "name"),
    [("What is Wang Fang's position?", "Fang"), ("What does Tesla sell?", "Tesla"), ("What is HT-2207?", "HT-2207")],
)
def test_a_name_that_they_would_hold_and_do_not_is_told(question: str, name: str) -> None:
    answer = ask(question, "docs", "query")

    assert f"`{name}`" in answer.answer
    assert answer.confidence < 0.39
