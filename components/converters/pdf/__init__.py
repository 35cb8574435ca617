"""PDF as text with structure: two functions, and what they return and take; no other file uses what is in here."""

from components.converters.pdf.assemble import PdfText
from components.converters.pdf.document_reader import read_pdf, read_share
from components.converters.pdf.layout import PageLayout, Segment, Word
from components.converters.pdf.share import PdfShare

__all__ = ["PageLayout", "PdfShare", "PdfText", "Segment", "Word", "read_pdf", "read_share"]
