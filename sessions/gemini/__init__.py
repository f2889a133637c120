"""Gemini CLI: its sessions, whole or growing, and where they stand."""
