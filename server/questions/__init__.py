"""Answer questions and judge claims."""
