"""Find, check, load, compare and run pipeline graphs."""
