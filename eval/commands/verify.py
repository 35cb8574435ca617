"""`khub eval verify`: how often a graph's verdicts on claims are those of a person.

khub eval verify
khub eval verify --graph more/verify_llm --half report
khub eval verify eval/verify/manuals.jsonl --documents FOLDER
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from khub.eval.commands.shared import SAMPLES


class Half(StrEnum):
    """Which claims are asked about."""

    TUNE = "tune"
    REPORT = "report"
    BOTH = "both"


def verify_claims(
    claims: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Labelled claims.", show_default="eval/verify/claims.jsonl"),
    ] = None,
    option: Annotated[
        Path | None, typer.Option("--claims", metavar="FILE", help="The same as the argument.", show_default=False)
    ] = None,
    documents: Annotated[
        Path, typer.Option(metavar="DIR", help="The documents that they are about.", show_default="eval/samples")
    ] = SAMPLES,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'verify'.")] = "verify",
    ingest: Annotated[str, typer.Option(metavar="NAME", help="Graph that fills the collection.")] = "ingest",
    half: Annotated[Half, typer.Option(help="Claims that the thresholds were chosen on, the others, or both.")] = (
        Half.BOTH
    ),
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write verify.md there.")] = None,
) -> None:
    """Measure verdicts by language: which are right, and what is said instead."""
    import time

    from khub.eval.machine import machine
    from khub.eval.run.files import write_file
    from khub.eval.verify.labelled_claims import CLAIMS, read_claims
    from khub.eval.verify.measure import measure
    from khub.eval.verify.report import markdown
    from khub.server.terminal import write_text
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    chosen = [claim for claim in read_claims(claims or option or CLAIMS) if half in (Half.BOTH, claim.half)]
    rows, degraded = measure(chosen, documents, graph, ingest)
    about = {"graph": graph, "ingest": ingest, "claims": str(len(rows)), "date": time.strftime("%Y-%m-%d")}
    text = markdown(rows, degraded, {**about, "machine": machine(), "command": "`khub eval verify`"})
    write_text(text)
    if out is not None:
        write_file(out / "verify.md", text)
