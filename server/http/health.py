"""`GET /health`: that the server is there, and its version; nothing else."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.requests import Request

PATH = "/health"


async def health(_: Request) -> JSONResponse:
    """The answer."""
    return JSONResponse({"ok": True, "version": version("prune-mcp")})
