"""Activity: what was done in a stretch of a session, told without a model."""
