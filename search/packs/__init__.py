"""Packs: the passages' texts as they are kept, in frames."""
