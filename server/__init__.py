"""MCP tools, transports and the command line: validate, call the engine, shape."""
