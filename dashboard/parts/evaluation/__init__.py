"""What the page Evaluation is made of."""
