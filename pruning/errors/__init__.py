"""Errors: the lines of an output that say what went wrong."""
