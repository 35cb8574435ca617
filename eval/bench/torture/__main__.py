"""Run tortures at full length: `python -m eval.bench.torture [names]`; results go to `eval/results/foundation.json`."""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from eval.bench.foundation_report import RESULTS, write_report
from eval.bench.machine import machine
from eval.bench.torture import damage, kill_writer, readers_beside_writer, stale_reader, two_writers

TORTURES = {
    "stale_reader": stale_reader.run,
    "two_writers": two_writers.run,
    "readers_beside_writer": readers_beside_writer.run,
    "kill_writer": kill_writer.run,
    "damage": damage.run,
}


def main() -> None:
    """Run the named tortures, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(TORTURES)}")
    for name in parser.parse_args().names or TORTURES:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as work:
            result = TORTURES[name](Path(work))
        result = {
            **result,
            "took_s": round(time.monotonic() - started),
            "machine": machine(),
            "date": time.strftime("%Y-%m-%d"),
        }
        sys.stderr.write(f"{name}: {json.dumps(result)}\n")
        results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**results, name: result}, indent=1) + "\n", encoding="utf-8")
    write_report()


if __name__ == "__main__":
    main()
