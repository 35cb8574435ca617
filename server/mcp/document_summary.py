"""What is known of a document, as the tools show it."""

from khub.server.mcp.links import DOCUMENT, address
from khub.server.mcp.shown_report import ShownReport
from khub.server.reads.document_report import DocumentReport


def summary_shown(doc_id: str | None = None, sha256: str | None = None, source: str | None = None) -> ShownReport:
    """Return what is known of a document, as `summary_of` does, with its address."""
    from khub.server.reads.document_summary import summary_of

    data = summary_of(doc_id, sha256, source)
    return {**data, "uri": address(DOCUMENT, id=data["doc_id"])}


def summary_text(data: DocumentReport) -> str:
    """Return a summary as Markdown."""
    from khub.components.text.hidden_characters import in_quotes, on_one_line

    facts = {
        "file": in_quotes(data["source"]),
        "collection": data["collection"],
        "type": data["doc_type"],
        "language": data["language"],
        "tags": ", ".join(map(in_quotes, data["tags"])),
        "created": data["created"] and in_quotes(data["created"]),
        "ingested": data["ingested_at"],
        "pages": data["pages"],
        "passages": f"{data['chunks']} of {data['average_chunk_characters']} characters on average",
        "images": data["images"] or None,
        "error": data["error"] and on_one_line(data["error"]),
        "doc_id": f"`{data['doc_id']}`",
    }
    lines = [f"- {name}: {value}" for name, value in facts.items() if value]
    parts = [
        f"**{in_quotes(data['title'])}**",
        f"> {on_one_line(' '.join(data['summary'].split()))}" if data["summary"] else "",
    ]
    sections = (
        "Sections:\n" + "\n".join(f"- {in_quotes(name)}" for name in data["sections"]) if data["sections"] else ""
    )
    return "\n\n".join(part for part in [*parts, "\n".join(lines), sections] if part)
