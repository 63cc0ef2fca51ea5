"""Credentials whose name stands beside them (SPEC 3.2)."""

import pytest

from agents.scan.rules.rule import fill
from agents.scan.text import scan_text

_TOKEN = fill("{h40}", 5)
_PASSWORD = fill("{l6}{d3}", 5)


@pytest.mark.parametrize(
    "around",
    [
        '<add key="ApiToken" value="{}" />',
        '<property value="{}" name="api.token"/>',
        '{{"name": "API_TOKEN", "value": "{}"}}',
        '{{"value": "{}", "key": "api_token"}}',
        "- name: API_TOKEN\n  value: {}\n",
        "<key>apiToken</key>\n<string>{}</string>",
        "SET API_TOKEN '{}'",
        '#define API_TOKEN "{}"',
        "ENV API_TOKEN {}",
        "--acme-token {} --verbose",
        "| api_token | {} |",
        "api_token\t{}",
        "API_TOKEN -> {}",
        "%API_TOKEN%={}",
        '.setApiToken("{}")',
        'var apiToken = []byte("{}")',
        "<ApiToken><![CDATA[{}]]></ApiToken>",
        "API_TOKEN: |\n  {}\n",
        'API_TOKEN:\n  "{}"',
        'the api token "{}" was refused',
        "use `{}` as the api token",
        "{} is my token",
    ],
)
def test_in_any_pair(around: str) -> None:
    text = around.format(_TOKEN)
    assert _TOKEN not in scan_text(text).masked
    text = around.format(_PASSWORD).replace("token", "password").replace("Token", "Password").replace("TOKEN", "PASSWORD")
    assert _PASSWORD not in scan_text(text).masked


@pytest.mark.parametrize(
    "text",
    [
        "getPassword('username'), then getToken(\"refresh\")",
        "validate_password('hunter2x') rejects it",
        "| password | string | required |\n| token | the API token |",
        '<input name="password" value="" type="password"/>',
        '{"name": "region", "value": "eu-west-1"}',
        '{"name": "password_policy", "value": "level2"}',
        "- name: TOKEN_URL\n  value: https://auth.acme.test/oauth2/token\n",
        "set token_ttl 3600",
        "the password field is as important as the token",
        "a long name is the key to reading code",
        "use the refresh endpoint as the token source",
        "--token-file /run/secrets/token2 --key-path /etc/tls/server2.pem",
        'raise InvalidToken("expired")',
        "password -> bcrypt hash -> users table",
        "key, value = pair; tokens, types = lex(line2)",
        "password:\n  type: string\n  minLength: 12",
        "the primary key `order_id_2` is the key",
    ],
)
def test_no_pair_no_alarm(text: str) -> None:
    assert [text[h.start : h.end] for h in scan_text(text).findings if h.layer == "credential"] == []
