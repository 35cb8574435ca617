"""What is known of a document, as the tools show it."""

from khub.server.reads.document_report import DocumentReport


class ShownReport(DocumentReport):
    """A document in short.

    :ivar uri: under which a client finds it.
    """

    uri: str
