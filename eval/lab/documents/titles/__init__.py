"""The titles that documents of other people get."""
