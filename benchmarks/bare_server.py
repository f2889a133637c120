"""An empty server on the bare SDK, which start-up is compared with."""

from __future__ import annotations

from mcp.server import MCPServer

if __name__ == "__main__":
    MCPServer("empty").run()
