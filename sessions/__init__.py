"""Readers for host session formats on one conversation model."""
