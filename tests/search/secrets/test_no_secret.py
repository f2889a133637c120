"""What only looks like a secret stays findable."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest

from prune_mcp.search.secrets import mask

DIGEST = hashlib.sha256(b"x").hexdigest()
IMAGE = base64.b64encode(random.Random(7).randbytes(30_000)).decode()

HARMLESS = rf"""
commit {DIGEST[:40]}
sha256:{DIGEST}
integrity sha512-{IMAGE[:86]}==
index {DIGEST[:7]}..{DIGEST[7:14]}
session {DIGEST[:8]}-{DIGEST[8:12]}-4{DIGEST[12:15]}-{DIGEST[15:19]}-{DIGEST[19:31]}
toolu_01AbCdEfGhIjKlMnOpQrStUv
data:image/png;base64,{IMAGE}
password=changeme
password=xxxxxxxx
API_KEY=${{API_KEY}}
api_key: <your key>
token: YOUR_TOKEN_HERE
api_key = os.environ["API_KEY"]
apiKey: process.env.OPENAI_API_KEY2
SECRET_TOKEN=$(cat /run/secret1)
token: Optional[str] = None
password: string
def login(password: str, token: bytes) -> None:
max_tokens: 4096
"total_tokens": 123456789
token_count = 1234567890123
tokenizer = o200k_base_v2
token = response.data.access_token2
const token = await getToken2(session1)
password_field_2: input-4
public_key: 0123456789abcdef0123456789abcdef
primary_key=user_id_2024
http://localhost:3000/users/@me
git@github.com:owner/repo.git
docker://alpine:3.18@sha256:0123
mysql://root:@localhost
postgres://${{USER}}:${{PASSWORD}}@${{HOST}}
f"://{{user}}:{{password}}@{{host}}/"
https://user:${{PASSWORD}}@host
regex: ://[^:]+:([^@]+)@
12:30@noon
Authorization: Bearer <token>
Authorization: Bearer ${{TOKEN}}
Authorization: Basic authentication
a bearer token
sk-learn-contrib
task-1234
disk-image-of-2024
risk-management-and-insurance
ask-me-anything-2024-version
grep -----BEGIN PRIVATE KEY----- in files
ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB
PASS: test_upload_1
secretary: Smith2
the password is required
passed 123456 tests
bypass=abc123def
[secret: password]
password=[secret: password]
"token": "[secret: value]"
Secret: \x1b[1mREDACTED\x1b[0m
"""


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("text", HARMLESS.strip().splitlines(), ids=lambda text: text[:40])
def test_what_is_no_secret_is_left_as_it_is(text: str) -> None:
    assert mask(text) is text


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("label", ["PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"])
def test_public_halves_are_left(label: str) -> None:
    block = f"-----BEGIN {label}-----\n{IMAGE[:64]}\n-----END {label}-----"

    assert mask(block) is block
