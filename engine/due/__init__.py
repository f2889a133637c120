"""Due: whether a session is to be pruned now."""
