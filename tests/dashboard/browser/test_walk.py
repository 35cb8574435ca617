"""What a person does, from an empty hub on: in a real browser, with the real jobs behind it."""

import re

import pytest

from khub.eval.bench.browser import served
from tests.dashboard.browser.test_pages import grave_findings
from tests.dashboard.conftest import sample_files

pytestmark = pytest.mark.e2e
JOB_MS = 90_000
TITLE = "The robot's manual"


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """The address of a dashboard over an empty hub."""
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    with served() as address:
        yield address


def to(seen, page):
    seen.page.get_by_role("link", name=page, exact=True).first.click()
    seen.settled()


def test_from_an_empty_hub_to_an_answer_and_back(empty, visit):
    seen = visit()
    seen.go(empty)
    for page in ("Overview", "Documents", "Ingestion traces", "Query traces", "Evaluation", "Ingestion"):
        to(seen, page)

    upload(seen, empty, "Ingest", "finished")
    to(seen, "Ask")
    for question in ("What does error code E-4012 mean?", "错误代码 E-4012 是什么意思？"):
        seen.page.get_by_label("Question").fill(question)
        seen.page.keyboard.press("Enter")
        seen.page.get_by_role("heading", name=question).wait_for()
        seen.page.locator(".leaf .evidence").first.wait_for()

    seen.page.get_by_role("button", name="How it was found").click()
    seen.page.wait_for_url("**/query_runs?**")
    seen.page.get_by_role("heading", name="Passages by stage").wait_for()
    seen.settled()
    assert not grave_findings(seen.page)

    to(seen, "Documents")
    seen.page.get_by_role("link", name=re.compile("Ember")).first.click()
    seen.page.wait_for_url(re.compile("doc="))
    seen.page.locator(".leaf img").wait_for()
    assert not grave_findings(seen.page)


def test_titles_are_mended_and_documents_and_collections_deleted(empty, visit):
    seen = visit("zh-CN", "narrow", "dark")
    upload(seen, empty, "导入", "已完成")

    seen.go(empty + "documents")
    seen.page.get_by_role("link", name=re.compile("Ember")).first.click()
    seen.page.get_by_role("button", name="编辑").click()
    title = seen.page.get_by_label("标题")
    title.wait_for()
    assert not grave_findings(seen.page)
    title.fill(TITLE)
    seen.page.get_by_role("button", name="保存").click()
    seen.page.get_by_role("heading", name=TITLE).wait_for()
    seen.go(f"{empty}?q=E-4012")
    seen.page.get_by_role("button", name=re.compile(TITLE)).first.wait_for()

    seen.go(empty + "documents")
    seen.page.get_by_role("link", name=re.compile(TITLE)).first.click()
    seen.page.get_by_role("button", name="删除").click()
    seen.page.get_by_role("dialog").get_by_role("button", name=re.compile("删除")).last.click()
    seen.page.get_by_role("heading", name="1 份文档").wait_for()

    seen.go(empty + "ingestion?view=collections")
    name = seen.page.get_by_label(re.compile("default"))
    name.last.fill("default")
    name.last.press("Enter")
    seen.page.get_by_role("button", name="删除文档集").click()
    seen.page.get_by_text(re.compile("^已删除 .*1 份")).wait_for()  # who goes away sooner takes the click back
    seen.go(empty)
    seen.page.get_by_text("还没有文档").wait_for()


def upload(seen, address, ingest, done):
    seen.go(address + "ingestion")
    seen.page.locator("input[type=file]").set_input_files([str(path) for path in sample_files()])
    seen.page.get_by_role("button", name=re.compile(rf"^{ingest} \(2\)")).click()
    seen.page.get_by_text(done, exact=True).first.wait_for(timeout=JOB_MS)
