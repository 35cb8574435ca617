"""What is said of pages that hold pictures alone; the converters that say it take a second to import."""

from khub.components.extras import install_extra

READS_SCANS = "ingest it with a graph that reads scans (ingest)"
NEEDS_OCR = f"{READS_SCANS}, after: {install_extra('ocr')}"
