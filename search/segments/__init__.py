"""Segments: the inverted index in files, and Whoosh over them."""
