"""The texts that the sample documents are made from, and what renders them."""
