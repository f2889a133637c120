"""Collapse: finished exchanges as one summary."""
