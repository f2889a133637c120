"""Claude Code: its transcripts, what their lines mean, and where they stand."""
