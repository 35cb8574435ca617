"""`khub doctor`."""

from typing import TYPE_CHECKING, Annotated

import typer

from khub.server.commands.documents import tell_none_yet
from khub.server.commands.options import CollectionOption, JsonOption
from khub.server.library.collection_health import CollectionHealth
from khub.server.terminal import count, tell, write_json, write_line

if TYPE_CHECKING:
    from khub.server.library.doctor import Diagnosis


def doctor(
    collection: CollectionOption = None,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is not as the catalog says.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Search every chunk by its vector, not a sample.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Prove that catalog and indexes agree, in all collections or one; exit 1 if problems remain."""
    from khub.server.library.doctor import diagnose
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    diagnoses = diagnose(collection, repair, full)
    healthy = all(diagnosis.healthy for diagnosis in diagnoses)
    if as_json:
        write_json({"healthy": healthy, "collections": [_as_dict(diagnosis) for diagnosis in diagnoses]})
    else:
        for diagnosis in diagnoses:
            _show(diagnosis)
        if not diagnoses:
            tell_none_yet()
        if not healthy:
            tell("problems remain", "" if repair else _remedy(diagnoses))
    if not healthy:
        raise typer.Exit(1)


def _remedy(diagnoses: list["Diagnosis"]) -> str:
    if any(diagnosis.findings.repairable for diagnosis in diagnoses):
        return "rebuild what is wrong with: khub doctor --repair"
    return "a repair does not mend them: reindex, as the lines above say"


def _show(diagnosis: "Diagnosis") -> None:
    findings = diagnosis.findings
    state = "healthy" if diagnosis.healthy else count(len(findings.problems), "problem")
    seen = [count(findings.documents, "document"), count(findings.chunks, "chunk")]
    write_line(f"{findings.collection}: {state} ({', '.join(seen)}, {findings.searched:,} searched by vector)")
    for line in diagnosis.repaired:
        write_line(f"  {line}")
    for line in [*findings.problems, *findings.notes]:
        write_line(f"  {line}")


def _as_dict(diagnosis: "Diagnosis") -> CollectionHealth:
    findings = diagnosis.findings
    return {
        "collection": findings.collection,
        "healthy": diagnosis.healthy,
        "documents": findings.documents,
        "chunks": findings.chunks,
        "searched": findings.searched,
        "problems": findings.problems,
        "notes": findings.notes,
        "repaired": diagnosis.repaired,
    }
