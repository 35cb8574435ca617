"""Where the service shows a document to a person."""

from khub.server.http.dashboard_sign_in import PATH
from khub.server.http.service_options import ServiceOptions

PAGE, TEXT = f"{PATH}/documents?doc={{id}}", "/documents/{id}/markdown"


def document_path(options: ServiceOptions) -> str:
    """Return the path, with `{id}`: a page of the dashboard, or the text where the pages are not served."""
    return options.root_path + (TEXT if options.dashboard is None else PAGE)
