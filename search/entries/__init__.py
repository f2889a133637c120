"""Entries of past sessions, named and read."""
