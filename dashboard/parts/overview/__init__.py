"""What the page Overview is made of."""
