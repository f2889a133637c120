"""Pure decisions and rendering over a conversation: no I/O, no clock, no MCP."""
