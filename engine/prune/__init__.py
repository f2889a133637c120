"""Prune: archive, decide, keep, render, measure."""
