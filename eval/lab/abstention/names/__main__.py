"""Measure doubt where question and documents are in two languages: `python -m khub.eval.lab.abstention.names`."""

import argparse
import json
import logging
import sys
from pathlib import Path

from khub.components.errors import KhubError
from khub.eval.lab.abstention.names.report import markdown
from khub.eval.lab.abstention.report import RESULTS, write_section


def main() -> None:
    """Run, write the section of `abstention.md`, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--news", type=Path, metavar="FILE", help="JSON lines of Chinese news, `_id` and `text` each")
    parser.add_argument("--graph", default="query", metavar="NAME")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write every question with its answer here")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    from khub.eval.lab.abstention.names.run import measure

    try:
        results = measure(options.graph, options.news)
    except KhubError as error:
        sys.exit(str(error))
    if options.rows:
        rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in results["rows"])
        options.rows.write_text(rows, encoding="utf-8")
    section = markdown(results)
    write_section(options.out, section)
    sys.stdout.write(section)


if __name__ == "__main__":
    main()
