"""Usage: what fills a context, and what that costs."""
