"""Full-text search over past sessions."""
