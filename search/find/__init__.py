"""Finding: from a question to hits."""
