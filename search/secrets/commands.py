"""Passwords on command lines, where no name says that one follows: `mysql -p...`, `curl -u me:...`."""

from __future__ import annotations

from prune_mcp.search.secrets.looks import looks_chosen, looks_mixed, looks_random, looks_typed
from prune_mcp.search.secrets.rules import QUOTE, Rule, rule

COMMAND_PASSWORD = "password of a command"

# The words of one command before the option: over lines that are continued, and as far as no other command begins.
_GAP = r"(?:[ \t]|\\\r?\n|\\{3}n)+"
_WORD = r"(?:[^\s\\|;&]++|[|;&](?![\s|&])|\\(?![nr\s])\S)++"
_WORDS = rf"{_GAP}(?:{_WORD}{_GAP}){{0,30}}?"
_OPEN = rf"(?:{QUOTE})?"
# In quotes more signs may stand.
_GIVEN = r"((?:(?<=[\"'`])[^\s\"'`\\]{3,256}|[^\s\"'`\\|;&<>()]{3,256}))"
_USER = r"[^\s:\"'`/|;&]{1,128}:"
_QUOTED_WORD = rf"{QUOTE}[^\s\"'`\\]{{1,128}}{QUOTE}"
_LDAP = rf"ldap[a-z]+{_WORDS}-w +{_OPEN}{_GIVEN}"
_HTTPIE = rf"https? (?:-[\w-]+ +){{0,6}}-a +{_OPEN}{_USER}{_GIVEN}"


def _rule(near: str, lead: int, pattern: str) -> Rule:
    return rule(COMMAND_PASSWORD, near, lead, pattern, looks_typed)


COMMANDS: tuple[Rule, ...] = (
    _rule("ysql(?:dump|admin|import|show|check|slap|pump)?(?:[.]exe)?[ ]", 1,
          rf"mysql\w*(?:[.]exe)?{_WORDS}-p{_OPEN}{_GIVEN}"),
    _rule("b[ -](?<=mariadb.)", 6, rf"mariadb[\w-]*{_WORDS}-p{_OPEN}{_GIVEN}"),
    _rule("pass +-[pv]", 3, rf"sshpass +(?:-v +)?-p *{_OPEN}{_GIVEN}"),
    _rule("ker login ", 0, rf"ker login{_WORDS}-p[ =]{_OPEN}{_GIVEN}"),
    _rule("podman login ", 0, rf"podman login{_WORDS}-p[ =]{_OPEN}{_GIVEN}"),
    _rule("[cyz] login ", 0, rf"(?:(?<=\bo)c|(?<=registr)y|(?<=\ba)z) login{_WORDS}-p[ =]{_OPEN}{_GIVEN}"),
    _rule("cli (?<=redis-cli )", 6, rf"redis-cli{_WORDS}-a +{_OPEN}{_GIVEN}"),
    _rule("cmd (?<=sqlcmd )", 3, rf"sqlcmd{_WORDS}-P *{_OPEN}{_GIVEN}"),
    _rule("client (?<=smbclient )", 3, rf"smbclient{_WORDS}-U *{_OPEN}[^\s\"'`%|;&]{{1,64}}%{_GIVEN}"),
    *(_rule(f"p{verb} -", 3, _LDAP) for verb in ("search", "modify", "add", "delete", "whoami", "passwd")),
    _rule("penssl ", 1, rf"openssl{_WORDS}(?:-k +|-pass(?:in|out)? +{_OPEN}pass:){_OPEN}{_GIVEN}"),
    _rule("zip -", 0, rf"zip (?:-\w{{1,40}} {{1,8}}){{0,12}}-P *{_OPEN}{_GIVEN}"),
    _rule("z [aexltu]", 1, rf"7z [aexltu]{_WORDS}-p{_OPEN}{_GIVEN}"),
    _rule("passwd -", 2,
          rf"htpasswd(?: -[A-Za-z]+)+(?: [^\s|;&]{{1,128}}){{1,2}} {_OPEN}{_GIVEN}{_OPEN}(?=[\s|;&)}}\\]|$)"),
    _rule("cho (?<=echo )", 1,
          rf"echo (?:-n )?{_OPEN}(?:{_USER})?{_GIVEN}{_OPEN} *\| *(?:sudo +)?(?:chpasswd|sudo (?:-\w+ )*?-\w*S"
          rf"|passwd [^\n|;&]{{0,100}}--stdin|[^\n|;&]{{0,200}}--password-stdin)"),
    _rule("BY +['\"\\\\]", 11, rf"IDENTIFIED BY +{QUOTE}{_GIVEN}"),
    rule(COMMAND_PASSWORD, "by +['\"\\\\]", 11, rf"identified by +{QUOTE}{_GIVEN}", looks_chosen),
    _rule("SecureString ", 10, rf"ConvertTo-SecureString (?:-String )?{QUOTE}{_GIVEN}"),
    _rule("cret set ", 2, rf"secret set{_WORDS}(?:-b|--body)[ =]{_OPEN}{_GIVEN}"),
    rule("value", "cret generic ", 2,
         rf"secret generic{_WORDS}--from-literal[ =]{_OPEN}[\w.-]{{1,128}}={_GIVEN}", looks_mixed),
    rule("password of curl", "curl[ \\\\]", 0,
         rf"curl\b{_WORDS}(?:-[a-zA-Z]*u ?|--user[ =]|--proxy-user[ =]){_OPEN}{_USER}{_GIVEN}", looks_typed),
    rule(COMMAND_PASSWORD, "_AUTH=", 0, rf"_AUTH={_OPEN}{_GIVEN}", looks_chosen),
    rule("cookie", "curl[ \\\\]", 0, rf"curl\b{_WORDS}-b *{_OPEN}[\w.%-]{{1,64}}={_GIVEN}", looks_random),
    *(_rule(f"{near} -", 3, _HTTPIE) for near in ("p", "ps")),
    _rule("=[(](?:\"|'|\\\\)", 4, rf"auth=[(]{_QUOTED_WORD}, *{QUOTE}{_GIVEN}"),
    _rule("BasicAuth[(]", 4, rf"HTTPBasicAuth[(]{_QUOTED_WORD}, *{QUOTE}{_GIVEN}"),
)  # fmt: skip
