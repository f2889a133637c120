"""The use cases, and the public Python API."""
