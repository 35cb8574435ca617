"""Questions in one language, with names, about documents in the other."""
