"""Message arrays and request bodies, in the formats of the providers."""
