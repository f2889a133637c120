"""Traps of bytes: encodings, torn and huge lines, and secrets, in Claude Code's transcripts."""

from __future__ import annotations

from pathlib import Path

from tests.needles.claude import PROJECT, Session, line, text
from tests.needles.needle import Needles

HUGE = 20_000_000
# Put together here so that no scanner takes this file for a leak.
KEYS = {
    "anthropic": "sk-ant-" + "api03-" + "Zq8" * 30 + "-AA",
    "aws": "AKIA" + "Q7XWJ2M4RT5Y9BLC",
    "bearer": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiI5ODc2NTQzMjEwIn0" + ".c2lnbmF0dXJlLW9mLXRoZS10b2tlbg",
    "postgres": "hunter2pass" + "Kq9w",
    "pem": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
}


def damage_needles(root: Path) -> Needles:
    """Write the damaged transcripts under a home, and return what must be found in them all the same."""
    needles = Needles("claude-code")
    for write in (_lines, _bytes, _unicode, _secrets, _nothing):
        write(root, needles)
    return needles


def _write(root: Path, session: Session, data: bytes) -> None:
    path = root / ".claude" / "projects" / PROJECT / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _lines(root: Path, needles: Needles) -> None:
    """Lines that are no entries stand between those that are."""
    s = Session(40)
    put = needles.put
    pieces = [
        line(s.user(f"first {put('beforedamage', s.id, 'user')}")),
        b"null",
        b"42",
        b'"text"',
        b"[1, 2]",
        b"{}",
        b'{"type": "future_event", "payload": 1}',
        line(s.user(f"then {put('afternull', s.id, 'user')}")),
        b'{"type": "user", "message": {"role": "user", "content": "torn in the mid',
        line(s.user(f"then {put('aftertorn', s.id, 'user')}")),
        b"\x00" * 4096 + line(s.user(f"then {put('afternuls', s.id, 'user')}")),
        b"",
        line(s.assistant(text(f"last {put('afterall', s.id, 'assistant')}"))),
    ]
    _write(root, s, b"\n".join(pieces) + b'\n{"type": "user", "uuid": "half-writ')
    s = Session(41)
    before = line(s.user("short"))
    huge = line(s.user(f"{'pad ' * (HUGE // 4)}{put('hugeline', s.id, 'user')}"))
    after = line(s.assistant(text(f"after it {put('afterhuge', s.id, 'assistant')}")))
    _write(root, s, b"\n".join((before, huge, after, b"")))


def _bytes(root: Path, needles: Needles) -> None:
    put = needles.put
    s = Session(42)
    _write(root, s, b"\xef\xbb\xbf" + line(s.user(f"behind a mark {put('bom', s.id, 'user')}")) + b"\n")
    s = Session(43)
    lines = [line(s.user(f"one {put('crlf', s.id, 'user')}")), line(s.assistant(text("two")))]
    _write(root, s, b"\r\n".join([*lines, b""]))
    s = Session(44)
    bad = line(s.user(f"caf\u00e9 {put('invalidutf', s.id, 'user')}")).replace("caf\u00e9".encode(), b"caf\xe9")
    _write(
        root, s, bad + b"\n" + line(s.assistant(text(f"fine {put('afterinvalid', s.id, 'assistant')}"))) + b"\n"
    )


def _unicode(root: Path, needles: Needles) -> None:
    put = needles.put
    s = Session(45)
    word = put("surrogate", s.id, "user")
    lone = line(s.user(f"half an emoji HALF {word}")).replace(b"HALF", b"\\ud83d")
    result = put("surrogateresult", s.id, "result")
    s.call("Bash", {"command": "cat x"}, f"bytes HALF {result}")
    answer = line(s.lines[-1]).replace(b"HALF", b"\\udcb2")
    _write(root, s, b"\n".join((lone, line(s.lines[-2]), answer, b"")))
    s = Session(46)
    words = [put(name, s.id, "user") for name in ("lineseparator", "paragraph", "nextline")]
    pieces = [line(s.user(f"before{mark}{word}")) for mark, word in zip("\u2028\u2029\x85", words, strict=True)]
    _write(root, s, b"\n".join([*pieces, b""]))
    s = Session(47)
    escaped = line(s.user(f"ESC {put('escaped', s.id, 'user')}")).replace(b"ESC", b"caf\\u00e9\\n\\tna\\u00efve")
    _write(root, s, escaped + b"\n")


def _secrets(root: Path, needles: Needles) -> None:
    """Entries that hold a secret are found by their other words, and the secret never is."""
    s = Session(48)
    put = needles.put
    told = {
        "anthropic": "export ANTHROPIC_API_KEY={}",
        "aws": "aws_access_key_id = {}",
        "bearer": "curl -H 'Authorization: Bearer {}' https://api.example.com",
        "postgres": "psql postgres://admin:{}@db.example.com/shop",
        "pem": "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
    }
    for kind, key in KEYS.items():
        word = put(f"beside{kind}", s.id, "user", hidden=(key,))
        s.user(f"{word} {told[kind].format(key)}")
    s.write(root)


def _nothing(root: Path, needles: Needles) -> None:
    """Files that hold no conversation stop nothing."""
    del needles
    folder = root / ".claude" / "projects" / PROJECT
    (folder / f"{Session(49).id}.jsonl").write_bytes(b"")
    (folder / f"{Session(50).id}.jsonl").write_bytes(b"\x00" * 1000)
    (folder / "notes.txt").write_text("no session", encoding="utf-8")
    (folder / f"{Session(51).id}.jsonl").write_bytes(b'{"type": "file-history-snapshot", "messageId": "x"}\n')
