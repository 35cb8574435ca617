"""What the page Ingestion is made of."""
