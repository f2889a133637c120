"""Care of what is kept: checked, tidied, forgotten."""
