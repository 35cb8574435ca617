"""The report as files: JSON for programs, Markdown for pull requests, HTML for people and printers."""

import json
from pathlib import Path

from khub.eval.run.comparison import REPORT
from khub.eval.run.files import write_file
from khub.eval.run.history import add_to_history
from khub.eval.run.html import html
from khub.eval.run.markdown import markdown
from khub.eval.run.run_report import RunReport

MARKDOWN, HTML = "report.md", "report.html"


def write_report(folder: Path, report: RunReport) -> list[Path]:
    """Write `report.json`, `report.md` and `report.html`, and add the run to `history.jsonl`.

    :param folder: where they go; it is made.
    :returns: the files that were written.
    """
    history = add_to_history(folder, report)
    texts = {
        REPORT: json.dumps(report, ensure_ascii=False, indent=None, separators=(",", ":")) + "\n",
        MARKDOWN: markdown(report),
        HTML: html(report, history),
    }
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]
