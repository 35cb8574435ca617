"""Fill, keep and mend collections."""
