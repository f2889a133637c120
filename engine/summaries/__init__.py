"""Summaries by models: whom to ask, how, and what that costs."""
