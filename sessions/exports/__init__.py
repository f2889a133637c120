"""Exports of claude.ai and ChatGPT: brought in, kept one by one, and read."""
