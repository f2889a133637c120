"""pi: its session files, versions 1 to 3, and where they stand."""
