"""Secrets are replaced by a word that names their kind, whatever stands around them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.search.secrets.masking import mask
from prune_mcp.server.http.token import Tokens
from prune_mcp.storage.home import Home
from tests.search.secrets.kinds import KINDS, NAMED, Kind, drawn, secrets

LONGEST_SURVIVOR = 4
LONGEST_MASK = len("[secret: password of a URL]")
WORDS = st.text(st.characters(codec="utf-8"), max_size=40)
GAPS = st.sampled_from((" ", "\n", "\t", ' "', "(", "\n    12\t", " = '"))

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.kind}: {kind.form[:12]}")
each_name = pytest.mark.parametrize("form", NAMED)


def survives(secret: str, masked: str) -> bool:
    """Whether a part of the secret stands in the text that says something about it."""
    part = LONGEST_SURVIVOR + 1
    return any(secret[at : at + part] in masked for at in range(len(secret) - part + 1))


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("word", ["NONE", "here", "Your", "todo"])
def test_a_secret_in_which_a_placeholders_word_stands_by_chance_is_masked(word: str) -> None:
    for secret in (f"{word}/bo4j/h4ZE3iVjo/rlPynaUp2n", f"bo4jh4ZE3iVjo/{word}/rlPynaUp2n"):
        assert not survives(secret, mask(f"_auth={secret}=="))


@pytest.mark.requirement("HIS-SECRET")
@each_kind
@given(data=st.data(), before=WORDS, gap=GAPS, after=WORDS)
def test_a_secret_never_survives_in_any_text(
    kind: Kind, data: st.DataObject, before: str, gap: str, after: str
) -> None:
    secret = data.draw(secrets(kind))
    held = kind.form.format(secret)

    masked = mask(before + gap + held + "\n" + after)

    assert not survives(secret, masked)
    assert mask(held) != held


@pytest.mark.requirement("HIS-SECRET")
@each_kind
@given(data=st.data())
def test_a_secret_is_called_by_its_kind(kind: Kind, data: st.DataObject) -> None:
    assert f"[secret: {kind.kind}]" in mask(kind.form.format(data.draw(secrets(kind))))


@pytest.mark.requirement("HIS-SECRET")
@each_name
@given(secret=drawn("alnum", 24) | drawn("url64", 32) | drawn("hex", 40))
def test_a_random_value_of_a_secret_name_never_survives(form: str, secret: str) -> None:
    held = form.format(secret)

    assert not survives(secret, mask(held))
    assert mask(held).startswith(held[: held.index(secret)])
    assert mask(held).endswith(held[held.index(secret) + len(secret) :])


@pytest.mark.requirement("HIS-SECRET")
@given(
    secrets=st.lists(st.sampled_from(KINDS).flatmap(lambda kind: secrets(kind).map(kind.form.format)), max_size=6),
    words=st.lists(WORDS, min_size=7, max_size=7),
)
def test_masking_again_changes_nothing_and_texts_hardly_grow(secrets: list[str], words: list[str]) -> None:
    text = " ".join(part for pair in zip(words, [*secrets, ""], strict=False) for part in pair)

    masked = mask(text)

    assert mask(masked) is masked
    assert len(masked) <= len(text) + LONGEST_MASK * masked.count("[secret: ")


@pytest.mark.requirement("HIS-SECRET")
@given(text=st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
@pytest.mark.parametrize("newline", ["\n", "\\n", "\\\\n", "\r\n"])
@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut off"])
@given(secret=drawn("base64", 64 * 6 + 20))
def test_a_private_key_goes_as_one_block(label: str, newline: str, cut: bool, secret: str) -> None:
    lines = [secret[at : at + 64] for at in range(0, len(secret), 64)]
    end = [] if cut else [f"-----END {label}PRIVATE " + "KEY-----"]
    block = newline.join([f"-----BEGIN {label}PRIVATE " + "KEY-----", *lines, *end])

    masked = mask(f'the key is "{block}" and more')

    assert masked == 'the key is "[secret: private key]" and more'


@pytest.mark.requirement("HIS-SECRET")
@given(secret=drawn("base64", 64 * 4))
def test_a_private_key_read_with_line_numbers_goes_as_well(secret: str) -> None:
    lines = ["-----BEGIN PRIVATE " + "KEY-----", *(secret[at : at + 64] for at in range(0, len(secret), 64))]
    numbered = "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))

    assert not survives(secret, mask(numbered))


@pytest.mark.requirement("HIS-SECRET")
@given(secret=drawn("base64", 64 * 4))
def test_a_service_account_in_json_inside_json_loses_its_key_alone(secret: str) -> None:
    block = "\n".join(["-----BEGIN PRIVATE " + "KEY-----", secret, "-----END PRIVATE " + "KEY-----", ""])
    account = json.dumps({"type": "service_account", "private_key": block, "client_email": "robot@example.org"})

    for text in (account, json.dumps(account), json.dumps(json.dumps(account))):
        assert not survives(secret, mask(text))
        assert "robot@example.org" in mask(text)


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("form", ["{id},{secret}", "{secret} {id}", "key {id}\nand\n{secret}\n"])
@given(id=drawn("upper", 16), secret=drawn("base64", 40))
def test_an_aws_secret_goes_with_the_key_id_beside_it(form: str, id: str, secret: str) -> None:
    assert not survives(secret, mask(form.format(id="AK" + "IA" + id, secret=secret)))


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgres://u:p@h", "postgres://u:[secret: password of a URL]@h"),
        ("mysql://root:p@ss@h/db", "mysql://root:[secret: password of a URL]@h/db"),
        ("a://u:p1@h1,b://u:p2@h2", "a://u:[secret: password of a URL]@h1,b://u:[secret: password of a URL]@h2"),
        ("PASSWORD=hunter2 make", "PASSWORD=[secret: password] make"),
        ("https://h/x?code=-dUE8A6k_AlwOcyaekorXA2558KQ4IjH", "https://h/x?code=[secret: value]"),
        ("my password: Tr0ub4dor&3", "my password: [secret: password]"),
        ("the password is Tr0ub4dor&3.", "the password is [secret: password]."),
        ("curl -u bob:hunter22 https://h", "curl -u bob:[secret: password of curl] https://h"),
        ('{"password": "a1\\"b2c3d4"}', '{"password": "[secret: password]"}'),
    ],
)
def test_the_words_around_a_password_stay(text: str, masked: str) -> None:
    assert mask(text) == masked


COMMANDS = """
mysql -u root -pS3cretPw9 shop
mysqldump -h db.local -uroot -p'S3cretPw9' shop > shop.sql
docker exec db mysqladmin -uroot -p"S3cretPw9" ping
sshpass -p S3cretPw9 ssh admin@box
sshpass -p 'S3cretPw9' scp one two
curl -s https://h/x?a=1&b=2 -u user:S3cretPw9
curl -sSu user:S3cretPw9 https://h
curl -X POST -uuser:S3cretPw9 https://h
docker login -u me -p S3cretPw9 ghcr.io
az login -u me -p S3cretPw9
redis-cli -h cache -a S3cretPw9 ping
ldapsearch -x -D cn=admin -w S3cretPw9 uid=me
openssl rsa -in key.pem -passin pass:S3cretPw9
unzip -P S3cretPw9 box.zip
7z x -pS3cretPw9 box.7z
htpasswd -bc users me S3cretPw9
echo 'me:S3cretPw9' | sudo chpasswd
echo S3cretPw9 | docker login -u me --password-stdin
echo S3cretPw9 | sudo -S apt install jq
smbclient -U me%S3cretPw9 //box/share
sqlcmd -S box -U me -P S3cretPw9
http -a me:S3cretPw9 GET https://h
CREATE USER me IDENTIFIED BY 'S3cretPw9';
CREATE USER me WITH PASSWORD 'S3cretPw9';
ConvertTo-SecureString -String "S3cretPw9" -AsPlainText
requests.get(url, auth=("me", "S3cretPw9"))
HTTPBasicAuth('me', 'S3cretPw9')
kubectl create secret generic box --from-literal=word=S3cretPw9
export PASSWORD='S3cretPw9'
docker run -e MYSQL_ROOT_PASSWORD=S3cretPw9 mysql
PGPASSWORD=S3cretPw9 psql shop
tool --password 'S3cretPw9' run
machine h password S3cretPw9 login me
Server=h;User Id=me;Password=S3cretPw9;
passwort: S3cretPw9
setPassword("S3cretPw9")
the password S3cretPw9 is in use
| password | S3cretPw9 |
requirepass S3cretPw9
pass: S3cretPw9
"""


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("line", COMMANDS.strip().splitlines(), ids=lambda line: line[:30])
def test_a_password_on_a_line_goes_alone(line: str) -> None:
    before, _, after = line.partition("S3cretPw9")

    for form in ("{}", "user: x\n{}\nneedle"):
        masked = mask(form.format(line))
        assert "S3cret" not in masked
        assert masked.startswith(form.format(before + "[secret: ").split("[secret: ")[0])
        assert after in masked
    assert "S3cret" not in mask(json.dumps({"command": line}))


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize(
    "form",
    [
        "{on}API_KEY{off}={secret}",
        "API_KEY={on}{secret}{off}",
        "API_KEY{on}={off}{secret}",
        '{on}"api_key"{off}: {on}"{secret}"{off}',
        "{on}password{off}: {on}{secret}{off}",
    ],
)
@pytest.mark.parametrize("escape", ["\x1b", "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\\\u001b"])
@given(secret=drawn("alnum", 24), cut=st.integers(1, 23))
def test_colours_hide_no_secret(form: str, escape: str, secret: str, cut: int) -> None:
    on, off = f"{escape}[1;32m", f"{escape}[0m"

    for written in (secret, secret[:cut] + on + secret[cut:]):
        masked = mask(f"needle {form.format(on=on, off=off, secret=written)} {on}beside{off}")
        assert not survives(secret, masked.replace(on, ""))
        assert masked.startswith("needle ")
        assert masked.endswith(f" {on}beside{off}")
        assert mask(masked) is masked


@pytest.mark.requirement("HIS-SECRET")
@given(secret=drawn("alnum", 16), at=st.integers(1, 14))
def test_a_password_with_quotes_goes_whole_however_often_it_is_escaped(secret: str, at: int) -> None:
    text = json.dumps({"password": secret[:at] + '"' + secret[at:], "user": "needle"})

    for _ in range(3):
        assert not survives(secret[:at], mask(text))
        assert not survives(secret[at:], mask(text))
        assert "needle" in mask(text)
        text = json.dumps(text)


@pytest.mark.requirement("HIS-SECRET")
def test_our_own_tokens_are_masked(tmp_path: Path) -> None:
    token = Tokens(Home(tmp_path, tmp_path, tmp_path)).make("", "2026-01-01T00:00:00Z")

    assert mask(f"prune-mcp token\n{token}\n") == "prune-mcp token\nprune_mcp_[secret: HTTP token]\n"


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("end", ["\u2026", "..."])
def test_a_title_that_is_cut_in_the_middle_of_a_secret_shows_no_part_of_it(end: str) -> None:
    for given_as in ("deploy with API_TOKEN=", "curl -u me:", "Coo" + "kie: sid="):
        title = given_as + "k7Qz9fLm2XvB8nT4wRj6" + end
        assert "k7Qz" not in mask(title)
        assert mask(title).startswith(given_as)
        assert mask(title).endswith(end)
        assert mask(mask(title)) == mask(title)
    for title in ("a walrus sings" + end, end, "password" + end):
        assert mask(title) is title


@pytest.mark.requirement("HIS-SECRET")
@pytest.mark.parametrize("beginning", ["zip -", "_auth="])
def test_a_text_of_nothing_but_the_beginning_of_a_rule_costs_as_much_as_it_is_long(beginning: str) -> None:
    assert grows_with_its_length(beginning, 3_000)


@pytest.mark.requirement("HIS-SECRET")
def test_a_text_of_secrets_beside_masked_ones_costs_as_much_as_it_is_long() -> None:
    assert grows_with_its_length("API_TOKEN=k7Qz9fLm2XvB8nT4wRj6 [secret: value] ", 1_500)


def grows_with_its_length(text: str, times: int) -> bool:
    """Whether four times the text costs about four times as much to mask, not sixteen times."""

    def cost(times: int) -> float:
        began = time.process_time()
        mask(text * times)
        return time.process_time() - began

    return cost(4 * times) < 8 * max(cost(times), 0.005)
