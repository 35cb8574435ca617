"""Torture: what the stores must survive, each as a program with numbers for its result."""
