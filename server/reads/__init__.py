"""What the front doors read of the hub: plain functions that show a caller what is opened for it."""
