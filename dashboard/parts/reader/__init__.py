"""What is read in the browser: an answer or passages, and the page that they stand on beside them."""
