"""What secrets look like: one rule for each kind that tells itself by a prefix or by what stands around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from prune_mcp.search.secrets.looks import looks_filled, looks_random, looks_sent


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    `near`: what stands in each secret of the kind, as a pattern that begins with a rare character, or some; texts
    are scanned for it alone. `lead`: how many characters of the secret stand before it. `pattern`: matches
    from the secret's beginning; its group 1, if it has one, is the secret, else all of it is. `looks`: what the
    secret has to look like, where words fit the pattern as well.
    """

    kind: str
    near: str
    lead: int
    pattern: re.Pattern[str]
    looks: Callable[[str], bool] | None = None


def rule(kind: str, near: str, lead: int, pattern: str, looks: Callable[[str], bool] | None = None) -> Rule:
    """A rule with its pattern compiled."""
    return Rule(kind, near, lead, re.compile(pattern), looks)


# What may stand around a name or a value, also where the text is JSON or code inside another string.
QUOTE = r"\\{0,4}[\"'`]"
_BREAK = r"(?:[ \t\"'`,+>|]|\\{1,4}[nrt\"']|\r?\n)"
_NEWLINE = r"(?:\\{1,4}[nr]|\r?\n)"
_NUMBERED = r"(?:[ \t]*\d{1,6}[\t→:|][ \t]*)?"
_BASE64 = r"[A-Za-z0-9+/=]"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,120}"
# Key material as far as it goes: lines of base64, then one shorter line that nothing else shares.
_MATERIAL = (
    rf"(?:{_BREAK}+{_NUMBERED}(?:{_HEADER}|{_BASE64}{{16,}}))+"
    rf"(?:{_BREAK}*{_NEWLINE}{_NUMBERED}=?{_BASE64}{{1,76}}(?={_BREAK}|-----|$))?"
)
_HEADER_NEAR = rf"[Zz](?:ation|ATION)(?:{QUOTE})?[ \t]*[:=]"
_HEADER_NAME = "[Aa](?:uthorization|UTHORIZATION)"
_HEADER_SIGN = rf"(?:{QUOTE})?[ \t]*[:=][ \t]*(?:[bf]?{QUOTE})?"
_ENDED = r"(?: {1,4}|%20|\+)"
_SCHEME = rf"(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|[Aa]pi[Kk]ey|Bot|SSWS){_ENDED}"
_USER = r"[^\s/:@\"'`<>\\\[\](){}^]{0,256}"
_PEM_END = rf"(?:{_BREAK}*{_NUMBERED}-----END[A-Z ]{{1,40}}-----)?"

RULES: tuple[Rule, ...] = (
    rule("Anthropic key", "k-ant-", 1, r"sk-ant-[\w-]{8,256}"),
    rule("OpenAI key", "k-(?:proj|svcacct|admin|None)-", 1, r"sk-(?:proj|svcacct|admin|None)-[\w-]{8,256}"),
    rule("OpenRouter key", "k-or-", 1, r"sk-or-[\w-]{16,128}"),
    rule("OpenAI key", "k-[A-Za-z0-9]{20}", 1, r"(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,200}", looks_random),
    rule("Google API key", r"za[\w-]{30}", 2, r"AIza[\w-]{30,64}"),
    rule("Google OAuth token", r"ya29\.", 0, r"ya29\.[\w-]{16,2048}"),
    rule("Google OAuth secret", "X-[A-Za-z0-9_-]{16}", 5, r"GOCSPX-[\w-]{16,64}"),
    rule("Google OAuth token", r"//0[\w-]{20}", 1, r"1//0[\w-]{20,256}"),
    rule("AWS key id", "[KSB]IA[A-Z0-9]{16}", 1, r"A[KSB]IA[A-Z0-9]{16}"),
    rule("AWS key id", "CCA[A-Z0-9]{16}", 1, r"ACCA[A-Z0-9]{16}"),
    rule("AWS Bedrock key", "BSK[A-Za-z0-9+/]{32}", 1, r"ABSK[A-Za-z0-9+/=]{32,256}"),
    rule("GitHub token", "_[A-Za-z0-9]{16}", 3, r"gh[pousr]_[A-Za-z0-9]{16,255}"),
    rule("GitHub token", r"_pat_\w{16}", 6, r"github_pat_\w{16,255}"),
    rule("GitLab token", "p(?:at|tt)-", 2, r"glp(?:at|tt)-[\w.-]{16,320}"),
    rule("GitLab token", "cbt-", 2, r"glcbt-[\w.-]{16,320}"),
    rule("Slack token", "xox[a-z]", 0, r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,512}"),
    rule("Slack token", "xapp-", 0, r"xapp-[A-Za-z0-9-]{10,512}"),
    rule("Slack webhook", r"k\.com/(?:services|workflows|triggers)/", 10,
          r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{16,256})"),
    rule("Discord webhook", r"ks/\d{15}", 6, r"webhooks/(\d{15,20}/[\w-]{30,128})"),
    rule("Stripe key", "_(?:live|test)_", 2, r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}"),
    rule("Stripe secret", "_[A-Za-z0-9+/]{16}", 5, r"whsec_[A-Za-z0-9+/=]{16,255}"),
    rule("Twilio key", "K[0-9a-f]{32}", 1, r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9a-f])"),
    rule("Twilio secret", "C[0-9a-f]{32}:", 1, r"AC[0-9a-f]{32}:([0-9a-f]{32})"),
    rule("SendGrid key", r"G\.[\w-]{16}", 1, r"SG\.[\w-]{16,64}\.[\w-]{16,128}"),
    rule("npm token", "_[A-Za-z0-9]{16}", 3, r"npm_[A-Za-z0-9]{30,64}"),
    rule("PyPI token", "ypi-AgE", 1, r"pypi-AgE[\w-]{16,512}"),
    rule("Hugging Face token", "_[A-Za-z0-9]{16}", 2, r"hf_[A-Za-z0-9]{30,64}"),
    rule("Hugging Face token", "_org_[A-Za-z0-9]{16}", 3, r"api_org_[A-Za-z0-9]{30,64}"),
    rule("Groq key", "_[A-Za-z0-9]{16}", 3, r"gsk_[A-Za-z0-9]{40,64}"),
    rule("xAI key", "xai-[A-Za-z0-9]{16}", 0, r"xai-[A-Za-z0-9]{60,100}"),
    rule("Perplexity key", "x-[A-Za-z0-9]{16}", 3, r"pplx-[A-Za-z0-9]{40,64}"),
    rule("Replicate token", "_[A-Za-z0-9]{16}", 2, r"r8_[A-Za-z0-9]{30,64}"),
    rule("Postman key", "K-[A-Za-z0-9]{16}", 3, r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    rule("DigitalOcean token", "_v1_[a-f0-9]{16}", 3, r"do[opr]_v1_[a-f0-9]{64}"),
    rule("Shopify token", "_[A-Fa-f0-9]{16}", 5, r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    rule("Docker token", r"_pat_[\w-]{16}", 4, r"dckr_pat_[\w-]{16,64}"),
    rule("Vault token", r"vs\.[\w-]{16}", 1, r"(?<![A-Za-z0-9])hvs\.[\w-]{20,300}"),
    rule("Grafana token", "_[A-Za-z0-9]{16}", 4, r"gl(?:sa|c_)_[A-Za-z0-9_+/=]{32,500}"),
    rule("Linear key", "_api_[A-Za-z0-9]{16}", 3, r"lin_api_[A-Za-z0-9]{32,64}"),
    rule("Notion token", "_[A-Za-z0-9]{16}", 3, r"ntn_[A-Za-z0-9]{40,64}"),
    rule("Telegram token", ":AA[A-Za-z0-9_-]{32}", 0, r":AA[\w-]{32,35}(?![\w-])"),
    rule("Azure secret", r"Q~[\w~.-]{30}", 4, r"[\w~.-]{3}\dQ~[\w~.-]{30,36}"),
    rule("Azure key", "Key=[A-Za-z0-9+/]{20}", 0, r"Key=([A-Za-z0-9+/]{20,128}={0,2})", looks_random),
    rule("signature of a URL", "[?&;]sig=", 0, r".sig=([A-Za-z0-9%+/=_-]{20,200})"),
    rule("signature of a URL", "z-Signature=", 4, r"X-Amz-Signature=([0-9a-f]{32,128})"),
    rule("JWT", r"J(?<=eyJ)", 2, r"eyJ[\w-]{6,4096}+\.[\w-]{8,65536}(?:\.[\w-]*){0,3}"),
    rule("age key", "KEY-1[A-Z0-9]{40}", 11, r"AGE-SECRET-KEY-1[A-Z0-9]{40,64}"),
    rule("private key", r"Lines: \d", 8, rf"Private-Lines: \d+({_MATERIAL})"),
    rule("authorization", r"[Bb]earer[ ]", 0, r"[Bb]earer {1,4}([\w.~+/-]{12,8192}={0,2})", looks_random),
    rule("authorization", _HEADER_NEAR, 7,
          rf"{_HEADER_NAME}{_HEADER_SIGN}{_SCHEME}"
          r"([\w.~+/=:-]{8,8192})", looks_sent),
    rule("authorization", _HEADER_NEAR, 7,
          rf"{_HEADER_NAME}{_HEADER_SIGN}[A-Za-z][A-Za-z-]{{1,30}}{_ENDED}([\w.~+/:-]{{16,8192}}={{0,2}})",
         looks_random),
    rule("authorization", _HEADER_NEAR, 7,
          rf"{_HEADER_NAME}{_HEADER_SIGN}([\w.~+/=:-]{{8,8192}})", looks_random),
    rule("docker login", r":(?:(?<=auth[\"'`]:)|(?<=auth\\[\"'`]:))", 0,
          rf": {{0,4}}{QUOTE}({_BASE64}{{12,4096}})"),
    rule("password of a URL", rf"://{_USER}:[^\s@]", 0,
          rf"://{_USER}:(?!\d{{1,5}}/)([^\s@\"'`<>]{{1,256}}(?:@[^\s@/\"'`<>]{{1,64}})*?)"
          r"@(?=[A-Za-z0-9\[$%{<_-])(?!sha\d{3}:)(?![^\s/]{0,128}@)", looks_filled),
    rule("password of a URL", "cle:thin:", 3,
         r"oracle:thin:[^\s/@\"'`]{1,128}/([^\s@\"'`<>]{3,256})@", looks_filled),
    rule("value", r"[?&](?:key|auth|code)=[\w%.~+/-]", 0,
         r"[?&](?:key|auth|code)=([\w%.~+/-]{16,2048})", looks_random),
    rule("docker login", "_auth[ =]", 0,
         rf"_auth[ ]?=[ ]?(?:{QUOTE})?((?=[^\s\"']{{0,200}}\d){_BASE64}{{12,4096}})", looks_random),
    rule("signature", "Signature=", 0, "Signature=([0-9a-f]{64})"),
    rule("cookie", r"/\t(?:TRUE|FALSE)\t", 0,
         r"/\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,64}\t([^\s]{8,4096})", looks_random),
    rule("HTTP token", r"_mcp_[\w-]{40}", 5, r"prune_mcp_([\w-]{43})(?![\w-])", looks_random),
    rule("login of a URL", r"://[\w-]{20,256}@", 0, r"://([\w-]{20,256})@", looks_random),
)  # fmt: skip

PEM_NEAR = "VATE KEY"
PEM = re.compile(r"-----BEGIN(?: [A-Z0-9]{1,12}){0,3} PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(_MATERIAL + _PEM_END)
PEM_END = re.compile(r"-----END[A-Z0-9 ]{1,40}-----")
