"""Worked examples: the hub used from other programs."""
