"""All that is known of one document, in views of which one is shown at a time."""

from khub.components.catalog.document_row import DocumentRow
from khub.dashboard.language import t
from khub.dashboard.parts.documents.cited_passage import cited_passage
from khub.dashboard.parts.documents.document_details import show_details
from khub.dashboard.parts.documents.document_head import show_head
from khub.dashboard.parts.documents.document_outline import show_outline
from khub.dashboard.parts.documents.document_pages import show_pages
from khub.dashboard.parts.documents.document_passages import show_passages
from khub.dashboard.parts.documents.document_pictures import show_pictures
from khub.dashboard.parts.documents.document_sections import show_sections
from khub.dashboard.parts.views import View, choose_view
from khub.server.reads.hub_reads import catalog_of_hub
from khub.server.reads.page_image import is_drawable


def show_document(row: DocumentRow) -> None:
    """Show a document.

    :param row: of the document, from the catalog.
    """
    show_head(row)
    _, show = choose_view(_views(row))
    show(row)


def _views(row: DocumentRow) -> dict[str, tuple[str, View]]:
    """Return the views that there are of it for the visitor."""
    views: dict[str, tuple[str, View]] = {}
    if row["chunks"] and is_drawable(row):
        views["pages"] = t("Pages", "页面"), show_pages
    elif cited_passage(row["doc_id"]):
        views["pages"] = t("Passage", "所在段落"), show_pages
    if row["chunks"]:
        views["text"] = t("Text", "全文"), show_sections
        views["passages"] = t(f"Passages ({row['chunks']:,})", f"段落（{row['chunks']:,}）"), show_passages
        views["outline"] = t("Outline", "大纲"), show_outline
    if pictures := len(catalog_of_hub().images.opened(row["doc_id"])):
        views["pictures"] = t(f"Pictures ({pictures:,})", f"图片（{pictures:,}）"), show_pictures
    views["details"] = t("Details", "详情"), show_details
    return views
