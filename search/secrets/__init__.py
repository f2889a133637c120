"""Secrets in text: told, and masked."""
