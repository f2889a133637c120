"""The hosts a call can come from: which one it is, and what a person there can do to make pruning take effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prune_mcp.engine.answers import PruneAnswer


@dataclass(frozen=True, slots=True)
class Host:
    """A host as people know it.

    `clients`: how its MCP client's name begins. `variables`: environment variables that only its children have.
    `compact`: the person's command that makes the host summarize its context; empty when it has none. `read`:
    whether its transcripts can be read.
    """

    id: str
    name: str
    clients: tuple[str, ...]
    variables: tuple[str, ...] = ()
    compact: str = ""
    read: bool = False


HOSTS = (
    Host(
        "claude-code",
        "Claude Code",
        ("claude-code",),
        ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
        "/compact",
        read=True,
    ),
    Host("claude-desktop", "Claude Desktop", ("claude-ai", "claude-desktop")),
    Host("codex", "Codex", ("codex",), ("CODEX_THREAD_ID", "CODEX_SANDBOX"), "/compact", read=True),
    Host("cursor", "Cursor", ("cursor",), ("CURSOR_TRANSCRIPT_PATH", "CURSOR_PROJECT_DIR"), "/summarize"),
    Host("gemini", "Gemini CLI", ("gemini-cli",), ("GEMINI_CLI",), "/compress", read=True),
    Host("opencode", "opencode", ("opencode",), ("OPENCODE",), "/compact", read=True),
    Host("pi", "pi", ("pi-", "pi_", "pi/"), ("PI_CODING_AGENT",), "/compact", read=True),
)
BY_ID = {host.id: host for host in HOSTS}


def calling_host(client: str, env: Mapping[str, str]) -> str:
    """The id of the host that calls, "" when it is none we know: the client's own name goes before `env`."""
    name = client.strip().lower()
    for host in HOSTS:
        if name == host.id or name.startswith(host.clients):
            return host.id
    if name:
        return ""
    return next((host.id for host in HOSTS if any(env.get(variable) for variable in host.variables)), "")


def next_steps(answer: PruneAnswer, recover: str = "context_tree_query") -> list[str]:
    """What to do so that the prune takes effect, one sentence each; `recover` is what brings back a ref."""
    if answer.why == "nothing-to-prune":
        return []
    if answer.why == "dry-run":
        return ["Call again without dry run to prune."]
    if answer.why == "thinking-bound":
        rest = _by_effect(answer, recover) if held_in_part(answer) else []
        return [*rest, "Prune again when this exchange is finished: its signed thinking binds all before it."]
    return _by_effect(answer, recover)


def held_in_part(answer: PruneAnswer) -> bool:
    """Whether signed thinking holds back some edits, while others are made."""
    return answer.why == "thinking-bound" and (
        answer.effect == "applied" or answer.tokens_after != answer.tokens_before
    )


def _by_effect(answer: PruneAnswer, recover: str) -> list[str]:
    if answer.effect == "applied":
        return [f"Send the returned messages in place of the old ones; {recover} brings back any ref."]
    host = BY_ID.get(answer.host)
    if answer.effect == "at_next_compaction":
        return [_compact_later(host)]
    return [
        "Nothing has left the live context yet; every output is archived, and the plan is kept.",
        _compact_now(host),
        f"After that, bring back whatever is missing with {recover} instead of running tools again.",
    ]


def _compact_later(host: Host | None) -> str:
    if host and host.compact:
        return f"{host.name} follows the plan when it compacts next; the person can do that now: {host.compact}."
    return "The host follows the plan when it compacts next."


def _compact_now(host: Host | None) -> str:
    if host is None:
        return "Ask the person to have the host compact or summarize this conversation, or to go on in a new one."
    if not host.compact:
        return f"{host.name} cannot compact on request: ask the person to go on in a new conversation."
    return f"When this exchange is done, ask the person to run {host.compact} in {host.name}."
