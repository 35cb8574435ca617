"""Write a gate's baseline anew.

    python -m khub.eval.gate.write_baseline            # measure, and write eval/gate/baseline.json
    python -m khub.eval.gate.write_baseline FOLDER     # of another gate: a folder with a thresholds.yaml

Who changes the golden sets, or makes the hub better, commits a new one.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from khub.components.errors import KhubError
from khub.eval.gate.baseline import baseline_of, write_baseline
from khub.eval.gate.measure import measure
from khub.eval.gate.report import table
from khub.eval.gate.thresholds import FOLDER, read_thresholds
from khub.eval.gate.verdicts import verdicts
from khub.server.commands.progress import progress
from khub.server.terminal import tell, write_text
from khub.server.traces.app_log import configure_logging


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure a gate's graph and write its baseline; errors of the hub are one line."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) > 1 or given[:1] in (["-h"], ["--help"]):
        sys.exit((__doc__ or "").rstrip())
    configure_logging()
    try:
        thresholds = read_thresholds(Path(given[0]) if given else FOLDER)
        measured = measure(thresholds, None, progress)
        baseline = baseline_of(measured)
        file = write_baseline(thresholds.folder, baseline)
        write_text(table(verdicts(measured, thresholds, baseline)))
        tell("written", str(file))
    except KhubError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
