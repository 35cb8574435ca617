"""What several pages have in common; below it what each page alone is made of."""
