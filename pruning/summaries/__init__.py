"""Summaries by a model: what it is asked, and what is made of its answer."""
