"""PDF as text with structure: two functions, and what they return and take; no other file uses what is in here."""

from khub.components.converters.pdf.assemble import PdfText
from khub.components.converters.pdf.document_reader import read_pdf, read_share
from khub.components.converters.pdf.layout import PageLayout, Segment, Word
from khub.components.converters.pdf.share import PdfShare

__all__ = ["PageLayout", "PdfShare", "PdfText", "Segment", "Word", "read_pdf", "read_share"]
