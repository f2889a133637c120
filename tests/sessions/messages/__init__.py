"""Message arrays and request bodies that a caller passes in."""
