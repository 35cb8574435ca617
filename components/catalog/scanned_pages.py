"""What is said of pages that hold pictures alone; the converters that say it take a second to import."""

NEEDS_OCR = "ingest it with a graph that reads scans (ingest), after: pip install 'knowledge-hub[ocr]'"
