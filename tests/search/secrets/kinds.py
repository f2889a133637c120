"""Secrets of each kind, generated: the text that holds one, and which part of it is the secret.

None is written out, so that nothing here looks like a secret to those who scan repositories for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import ascii_letters, ascii_uppercase, digits

from hypothesis import strategies as st

ALPHABETS = {
    "alnum": ascii_letters + digits,
    "url64": ascii_letters + digits + "-_",
    "base64": ascii_letters + digits + "+/",
    "hex": "0123456789abcdef",
    "upper": ascii_uppercase + digits,
}


@dataclass(frozen=True)
class Kind:
    """`form`: what stands around the secret, which is `{}`. `kind`: what the mask is to call it."""

    kind: str
    form: str
    alphabet: str
    length: int


KINDS = (
    Kind("Anthropic key", "sk-" + "ant-api03-{}", "url64", 95),
    Kind("OpenAI key", "sk-" + "proj-{}", "url64", 120),
    Kind("OpenAI key", "sk-" + "svcacct-{}", "url64", 120),
    Kind("OpenAI key", "sk-" + "{}", "alnum", 48),
    Kind("OpenRouter key", "sk-" + "or-v1-{}", "hex", 64),
    Kind("Google API key", "AI" + "za{}", "url64", 35),
    Kind("Google OAuth token", "ya" + "29.{}", "url64", 120),
    Kind("Google OAuth token", "1/" + "/0{}", "url64", 80),
    Kind("Google OAuth secret", "GOC" + "SPX-{}", "url64", 28),
    Kind("AWS key id", "AK" + "IA{}", "upper", 16),
    Kind("AWS key id", "AS" + "IA{}", "upper", 16),
    Kind("GitHub token", "gh" + "p_{}", "alnum", 36),
    Kind("GitHub token", "gh" + "o_{}", "alnum", 36),
    Kind("GitHub token", "gh" + "s_{}", "alnum", 36),
    Kind("GitHub token", "github" + "_pat_{}", "alnum", 82),
    Kind("GitLab token", "gl" + "pat-{}", "url64", 20),
    Kind("Slack token", "xo" + "xb-123456789012-{}", "alnum", 24),
    Kind("Slack token", "xap" + "p-1-A0123456789-{}", "alnum", 64),
    Kind("Slack webhook", "https://hooks.slack" + ".com/services/T01234567/B01234567/{}", "alnum", 24),
    Kind("Stripe key", "sk_" + "live_{}", "alnum", 24),
    Kind("Stripe key", "rk_" + "test_{}", "alnum", 99),
    Kind("Stripe secret", "whs" + "ec_{}", "alnum", 32),
    Kind("Twilio key", "S" + "K{}", "hex", 32),
    Kind("SendGrid key", "S" + "G.{0}.{0}", "alnum", 32),
    Kind("npm token", "np" + "m_{}", "alnum", 36),
    Kind("PyPI token", "pyp" + "i-AgEIcHlwaS5vcmc{}", "url64", 150),
    Kind("Hugging Face token", "h" + "f_{}", "alnum", 34),
    Kind("Groq key", "gs" + "k_{}", "alnum", 52),
    Kind("xAI key", "xa" + "i-{}", "alnum", 80),
    Kind("Perplexity key", "ppl" + "x-{}", "alnum", 48),
    Kind("Replicate token", "r" + "8_{}", "alnum", 37),
    Kind("DigitalOcean token", "dop" + "_v1_{}", "hex", 64),
    Kind("Docker token", "dckr" + "_pat_{}", "alnum", 27),
    Kind("Vault token", "hv" + "s.{}", "url64", 90),
    Kind("Linear key", "lin" + "_api_{}", "alnum", 40),
    Kind("Telegram token", "bot123456789" + ":AA{}", "url64", 33),
    Kind("Azure secret", "abc8" + "Q~{}", "alnum", 34),
    Kind("Azure key", "AccountName=disk;Account" + "Key={}==;EndpointSuffix=core.windows.net", "base64", 86),
    Kind("Azure key", "SharedAccess" + "Key={}=", "base64", 43),
    Kind("signature of a URL", "https://disk.blob.core.windows.net/box?sv=2024&si" + "g={}", "alnum", 43),
    Kind("JWT", "ey" + "JhbGciOiJIUzI1NiJ9.{}", "url64", 120),
    Kind("age key", "AGE-SECRET" + "-KEY-1{}", "upper", 58),
    Kind("authorization", "Authori" + "zation: Bearer {}", "alnum", 32),
    Kind("authorization", '"authori' + 'zation": "Bearer {}"', "alnum", 32),
    Kind("authorization", "Authori" + "zation: Basic {}=", "base64", 23),
    Kind("docker login", '{{"auths": {{"ghcr.io": {{"au' + 'th": "{}"}}}}}}', "base64", 32),
    Kind("docker login", '{{\\"au' + 'th\\": \\"{}\\"}}', "base64", 32),
    Kind("authorization", "AUTHORI" + "ZATION: BEARER {}", "alnum", 32),
    Kind("authorization", "Authori" + "zation: GenieKey {}", "alnum", 32),
    Kind("HTTP token", "prune" + "_mcp_{}", "url64", 43),
    Kind("docker login", "_au" + "th={}==", "base64", 30),
    Kind("cookie", "Set-Coo" + "kie: sid={}; Path=/; HttpOnly", "alnum", 32),
    Kind("cookie", "Coo" + "kie: theme=dark; sessionid={}", "url64", 32),
    Kind("cookie", "'Coo" + "kie': 'connect.sid=s%3A{}'", "alnum", 32),
    Kind("cookie", "curl --coo" + "kie 'sid={}' https://h", "hex", 32),
    Kind("cookie", ".example.org\tTRUE\t/\tTRUE\t1700000000\tsid\t{}", "alnum", 32),
    Kind("signature", "AWS4-HMAC-SHA256 Credential=x, Signa" + "ture={}", "hex", 64),
    Kind("password of a URL", "jdbc:oracle:thin:app/{}@db:1521:x", "alnum", 12),
    Kind("password of a URL", "postgres://admin" + ":{}@db.example.org:5432/app", "alnum", 12),
    Kind("password of a URL", "redis://" + ":{}@cache:6379/0", "alnum", 12),
    Kind("password of a URL", "mongodb+srv://someone" + ":{}@cluster.example.org", "url64", 20),
)

NAMED = (
    "DB_PASS" + "WORD={}",
    "SECRET_TO" + "KEN={}",
    "export OPENAI_API" + "_KEY='{}'",
    '"api_' + 'key": "{}"',
    '\\"api_' + 'key\\": \\"{}\\"',
    "api-" + "key: {}",
    "x-api-" + "key: {}",
    "clientSec" + "ret: '{}',",
    "aws_sec" + "ret_access_key = {}",
    "aws_session_to" + "ken={}",
    "--to" + "ken {}",
    "machine git.example.org login someone pass" + "word {}",
    "pass" + "word: str = '{}'",
    "//registry.npmjs.org/:_authTo" + "ken={}",
    "Server=db;User Id=app;Pass" + "word={};Encrypt=true",
    "<add key='x'><Pass" + "word>{}</Pass" + "word>",
    'os.environ["API_TO' + 'KEN"] = "{}"',
    "Sec" + "ret: {}",
    "- name: API_TO" + "KEN\n  value: {}\n",
    '{{"name": "API_TO' + 'KEN", "value": "{}"}}',
    '<add key="Pass' + 'word" value="{}"/>',
    "pass" + "word: |\n  {}\n",
    "**Pass" + "word:** {}",
    "setx API_TO" + "KEN {}",
    "aws configure set aws_sec" + "ret_access_key {}",
    "https://h/x?a=1&co" + "de={}&b=2",
)


def secrets(kind: Kind) -> st.SearchStrategy[str]:
    """What of a secret of this kind has to stay secret."""
    return drawn(kind.alphabet, kind.length)


def drawn(alphabet: str, length: int) -> st.SearchStrategy[str]:
    """Random characters, as a key generator draws them: hypothesis itself would rather draw `0000`.

    At least one is a digit, as in all but one of a hundred keys or more: letters alone could be words.
    """
    signs = ALPHABETS[alphabet]

    def draw(seed: int) -> str:
        source = Random(seed)
        key = ""
        while not any(sign.isdigit() for sign in key):
            key = "".join(source.choices(signs, k=length))
        return key

    return st.integers(0, 2**32).map(draw)
