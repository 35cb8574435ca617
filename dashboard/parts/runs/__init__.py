"""What the pages of traces are made of."""
