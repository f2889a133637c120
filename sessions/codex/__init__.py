"""Codex: its rollouts, turn by turn, and where they stand."""
