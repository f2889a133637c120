"""opencode: its database, its older files and its exports."""
