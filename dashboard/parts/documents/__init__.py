"""What the page Documents is made of."""
