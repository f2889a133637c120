"""What only looks like a secret stays findable."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest

from prune_mcp.search.secrets.masking import mask

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
\x1b[32mpassword\x1b[0m: \x1b[33mstring\x1b[0m
docker run -p 8080:80 -u node image2
mkdir -p foo/bar2
git log -p file2.py
git add -p
password = getpass()
password = getpass.getpass("Password2: ")
token: str
mysql -u root -p shop2
mysql -uroot -p$MYSQL_PASSWORD shop
mysql -u root -p"${{PASSWORD}}" shop
mysql -h db -P 3306 shop2
cd mysql && tar -pcf x2.tar y
mysql shop; mkdir -pv foo2
sshpass -p "$PASS" ssh box
sshpass -p <password> ssh box
curl -u "$USER:$PASS" https://h
curl -u user: https://h
curl https://h:8443/x2 -o out:2.txt
echo hello2 | tee -a log2
echo abc123def | base64 -d
docker login -u me --password-stdin ghcr.io
az login --use-device-code
openssl enc -aes-256-cbc -in x2 -out y2
openssl rsa -passin pass:$PASS
unzip -p box2.zip
redis-cli -a $PASS ping
the cookie: a small text file of 2 kB
Cookie: theme=dark; lang=en-US
Set-Cookie: seen=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT
prune_mcp_server_tools_and_prompts_that_a_client_sees
pass "HintPep484TypeVarFree" as a type
key: Ed25519PrivateKey | Ed448PrivateKey
a library identified by 'name'
self._client_auth = ClientAuthentication(self)
PASS=12 FAIL=3
pass: test2
tests pass 12 of 12
password field2
the token abc-12 of the grammar
def f(password, token2): ...
?code=404&key=name
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
