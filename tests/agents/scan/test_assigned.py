"""Credentials that only their name gives away (SPEC 3.2)."""

import base64

import pytest

from agents.scan.keyname import Strength, strength
from agents.scan.rules.rule import fill
from agents.scan.text import scan_text

_VALUE = fill("{w24}", 2)
_PASS = fill("{l5}{d3}", 5)


@pytest.mark.parametrize(
    "around",
    [
        "API_TOKEN={}",
        "export API_TOKEN='{}'",
        'apiToken: "{}",',
        '{{"api_token": "{}"}}',
        "<apiToken>\n  {}\n</apiToken>",
        'api_token := "{}"',
        '$apiToken .= "{}"',
        'API_TOKEN ?= "{}"',
        'var apiToken string = "{}"',
        'api_token: str = "{}"',
        ":api_token       => '{}',",
        'System.setProperty("API_TOKEN", "{}")',
        '{{\\"apiToken\\": \\"{}\\"}}',
        "?api_token={}&page=2",
        "the api token is {}, then go on",
        "--token {} --verbose",
        "X-Auth-Token: {}",
        "acme SECRET key {}",
        "machine api.acme.test login bot password {}",
        "use the following password to proceed:\n\n{}\n",
        'if token == "{}":',
    ],
)
def test_in_any_dress(around: str) -> None:
    text = around.format(_VALUE)
    assert _VALUE not in scan_text(text).masked


@pytest.mark.parametrize(
    "around",
    [
        "password = '{}'",
        "PASSWORD={}",
        "password: {}",
        "the password is {}.",
        "--password {}",
        "<password>{}</password>",
        "curl -u bob:{} https://x.test",
    ],
)
def test_a_password_need_not_look_random(around: str) -> None:
    text = around.format(_PASS)
    assert _PASS not in scan_text(text).masked


def test_a_pair_in_a_basic_header() -> None:
    pair = base64.b64encode(b"bob:").decode()
    assert pair not in scan_text(f"Authorization: Basic {pair}").masked


@pytest.mark.parametrize(
    "text",
    [
        "password = os.environ['DB_PASSWORD']",
        "password: ${{ secrets.DB_PASSWORD }}",
        "PASSWORD=$DB_PASSWORD",
        'password = getpass.getpass("Password: ")',
        "Password: must be at least 12 characters",
        '"password": "&lt;YOUR_PASSWORD&gt;"',
        "max_tokens=4096, token_count: 17, tokenizer = 'cl100k_base2'",
        '"token_url": "https://auth.acme.test/oauth2/token"',
        "public_key_token: b77a5c561934e089",
        f"the gateway had it as token, sha256:{'30a4d411e02e2023' * 4}.",
        "auth-proxy-kh57koupzi-damem          1/1   Running   6   72d",
        "primary_key = 'order_id_2024_11'",
        "key_file = '/etc/ssl/private/server-2024.pem'",
        "access_token: 'eyJhbGciOiJIUzI1NiJ9...'",
        "keyboard=us_international_1",
        "secret_arn = arn:aws:iam::111122223333:secret/abc12345",
        "api: io.acme:jjwt-jackson-0.11.2",
        "password=[generic_password:1]",
        "Authorization: Bearer <your API token>",
        "curl -u username:token https://x.test",
        "credentials: include, mode: cors",
    ],
)
def test_no_value_no_alarm(text: str) -> None:
    assert [text[h.start : h.end] for h in scan_text(text).findings if h.layer == "credential"] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DB_PASSWORD", Strength.PASSWORD),
        ("clientSecret", Strength.PASSWORD),
        ("logzKey", Strength.TOKEN),
        ("accessToken2", Strength.TOKEN),
        ("monkey", Strength.NONE),
        ("token_type", Strength.NONE),
        ("csrf-token", Strength.NONE),
        ("max_tokens", Strength.NONE),
    ],
)
def test_what_a_name_announces(name: str, expected: Strength) -> None:
    assert strength(name) is expected
