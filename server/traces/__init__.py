"""Record what each run of a graph did, and the application log."""
