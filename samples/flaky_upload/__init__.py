"""A made-up coding session, written as Claude Code would have recorded it."""
