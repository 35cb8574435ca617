"""Where documents come from beside a folder: each source lists what is there and reads one.

A source is one module, `<scheme>_source`, with a class `Source`: what stands before the colon of an address names it.
"""
