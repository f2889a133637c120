"""Writes entries as Claude Code does: one line for each block, linked by uuid, with the host's own fields."""

from __future__ import annotations

import base64
import json
import uuid
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

SESSION = "5d0c7a52-1f0e-4b7e-9a63-0f4e6f2b8c11"
CWD = "/home/dana/harbor"
MODEL = "claude-sonnet-4-5-20250929"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"


class Transcript:
    """A session under way. Every id, time and count comes from one seeded source, so that each run is equal."""

    def __init__(self) -> None:
        self.random = Random("harbor")
        self.time = datetime(2026, 3, 17, 9, 12, 4, 118000, tzinfo=UTC)
        self.lines: list[dict[str, Any]] = []
        self.parent: str | None = None
        self.context = 17_400
        self.started = self.time

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(milliseconds=int(seconds * 1000) + self.random.randrange(900))

    def name(self, prefix: str) -> str:
        """An id as the provider makes them."""
        return f"{prefix}_01{''.join(self.random.choices(LETTERS, k=22))}"

    def stamp(self) -> str:
        """The present time as the host writes it."""
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def entry(self, type: str, **fields: Any) -> str:
        """Add one entry to the chain and return its uuid."""
        own = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        self.lines.append(
            {
                "parentUuid": self.parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": CWD,
                "sessionId": SESSION,
                "version": "2.1.39",
                "gitBranch": "fix/flaky-resume",
                "type": type,
                **fields,
                "uuid": own,
                "timestamp": self.stamp(),
            }
        )
        self.parent = own
        return own

    def aside(self, **fields: Any) -> None:
        """Add a line that is outside the chain."""
        self.lines.append(fields)

    def prompt(self, text: str) -> None:
        """The person asks something."""
        self.wait(40)
        self.started = self.time
        self.context += len(text) // 4
        self.entry(
            "user", message={"role": "user", "content": text}, thinkingMetadata={"maxThinkingTokens": 31999}
        )

    def response(self, blocks: list[dict[str, Any]], stop: str) -> list[str]:
        """One response of the model, a line for each block; returns the uuids."""
        fresh = self.context - 16_800
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": fresh // 6,
            "cache_read_input_tokens": self.context - fresh // 6,
            "output_tokens": sum(len(json.dumps(block)) for block in blocks) // 4,
            "service_tier": "standard",
        }
        message = {"model": MODEL, "id": self.name("msg"), "type": "message", "role": "assistant"}
        request = self.name("req")
        uuids = []
        for block in blocks:
            self.wait(1.5)
            body = {**message, "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}
            if block is blocks[-1]:
                body["stop_reason"] = stop
            uuids.append(self.entry("assistant", message=body, requestId=request))
            self.context += len(json.dumps(block)) // 4
        return uuids

    def thinking(self, text: str) -> dict[str, Any]:
        """A signed thinking block."""
        signature = base64.b64encode(self.random.randbytes(210)).decode()
        return {"type": "thinking", "thinking": text, "signature": signature}

    def result(self, call: str, source: str, text: str, detail: Any, *, error: bool, seconds: float) -> None:
        """What a tool gave back, with the host's structured copy of it."""
        self.wait(seconds)
        block: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": text}
        if error or (isinstance(detail, dict) and "stdout" in detail):
            block["is_error"] = error
        message = {"role": "user", "content": [block]}
        self.entry("user", message=message, toolUseResult=detail, sourceToolAssistantUUID=source)
        self.context += len(text) // 4

    def answer(self, text: str, *, thinking: str = "") -> None:
        """The model ends the exchange in words."""
        blocks = [self.thinking(thinking)] if thinking else []
        self.response([*blocks, {"type": "text", "text": text}], "end_turn")
        took = int((self.time - self.started).total_seconds() * 1000)
        self.entry("system", subtype="turn_duration", durationMs=took, isMeta=False)

    def render(self) -> bytes:
        """The transcript as it stands on disk."""
        lines = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in self.lines)
        return "".join(f"{line}\n" for line in lines).encode()
