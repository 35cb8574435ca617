"""Fit and measure the confidence below which the hub abstains: `python -m khub.eval.lab.abstention BEIR/a BEIR/b`.

The coefficients that ship were fitted on other sets than those that they are measured on:

    python -m khub.eval.lab.abstention.people_sets PEOPLE --pairs pairs.jsonl.gz --news news.jsonl.gz
    python -m khub.eval.lab.abstention BEIR/* --fit-on PEOPLE/*

They go into `components/answers/confidence.py` by hand; the bound is `min_confidence` of the graphs.
"""

import argparse
import logging
import sys
from pathlib import Path

from khub.components.errors import KhubError
from khub.eval.lab.abstention.report import RESULTS, write_report


def main() -> None:
    """Run, and write `abstention.json` and `abstention.md`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="DIR", help="folders in the format of BEIR, two or more")
    parser.add_argument(
        "--fit-on", type=Path, nargs="+", default=[], metavar="DIR", help="other sets to fit on, two or more"
    )
    parser.add_argument("--graph", default="query", metavar="NAME")
    parser.add_argument(
        "--questions", type=int, default=400, metavar="N", help="of each collection's own, and of others"
    )
    parser.add_argument("--fit-questions", type=int, default=60, metavar="N", help="likewise, of the sets to fit on")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    from khub.eval.lab.abstention.run import calibrate

    try:
        results = calibrate(options.sets, options.graph, options.questions, options.fit_on, options.fit_questions)
    except KhubError as error:
        sys.exit(str(error))
    sys.stdout.write(write_report(options.out, results))


if __name__ == "__main__":
    main()
