"""The commands of `khub`, one a file; each imports what it needs when it runs: help comes at once."""
