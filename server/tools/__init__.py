"""The tools of MCP, and how their answers are worded."""
