"""Indexing: how what sessions say gets into the index, is kept in order, and leaves it again."""
