"""The scan of one text: what is seen, what is masked, and that a masked text stays as it is (SPEC 3.8, 3.9)."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.scan.rules.rule import fill
from agents.scan.text import scan_text

_TOKEN = fill("ghp_{w36}")
_PASSWORD = fill("{w12}", 4)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (f"GITHUB_TOKEN={_TOKEN}", "github_token", _TOKEN),
        (f"DB_PASSWORD={_PASSWORD}", "generic_password", _PASSWORD),
        (f'"password": "{_PASSWORD}"', "generic_password", _PASSWORD),
        (f"<password>{_PASSWORD}</password>", "generic_password", _PASSWORD),
        (f"postgres://app:{_PASSWORD}@10.0.0.4/x", "connection_string", _PASSWORD),
        (f"curl -u bob:{_PASSWORD} https://x.test", "basic_auth", _PASSWORD),
        (f"Authorization: Bearer {fill('{w40}')}", "bearer_token", fill("{w40}")),
        ("card 4111 1111 1111 1111.", "card_number", "4111 1111 1111 1111"),
        ("mail oncall@payments.acme.internal now", "email", "oncall@payments.acme.internal"),
        ("host 10.20.30.40 is down", "ip", "10.20.30.40"),
        (f"run {fill('{h8}-{h4}-{h4}-{h4}-{h12}')} ended", "uuid", fill("{h8}-{h4}-{h4}-{h4}-{h12}")),
        ("call 212-555-0147 first", "phone", "212-555-0147"),
        ("SSN 536-90-4399", "us_ssn", "536-90-4399"),
        ("pay to DE89 3704 0044 0532 0130 00", "iban", "DE89 3704 0044 0532 0130 00"),
        ("lives at 12 Elm Street, Apt 4", "address", "12 Elm Street, Apt 4"),
        ("born on 1990-10-25", "birth_date", "1990-10-25"),
    ],
)
def test_is_seen_and_masked(text: str, kind: str, value: str) -> None:
    done = scan_text(text)
    [hit] = [f for f in done.findings if f.kind == kind]
    assert text[hit.start : hit.end] == value
    assert value not in done.masked
    assert f"[{kind}:1]" in done.masked


@pytest.mark.parametrize(
    "text",
    [
        "GITHUB_TOKEN=ghp_" + "x" * 36,
        "password = os.environ['DB_PASSWORD']",
        "PASSWORD=${DB_PASSWORD}",
        "max_tokens: 4096, token_type: bearer",
        "user@example.com is a placeholder",
        "rows 1234567890123456 to 9294967295000000",
        "version 1.2.3.4 on 127.0.0.1",
        "HEAD is now at " + fill("{h40}"),
        "Retry the search step when the page is empty.",
        "[github_token:1] and [person:2] are gone",
    ],
)
def test_is_left_alone(text: str) -> None:
    assert scan_text(text).masked == text


def test_the_same_value_has_the_same_number() -> None:
    other = fill("ghp_{w36}", 9)
    assert scan_text(f"{_TOKEN} {other} {_TOKEN}").masked == "[github_token:1] [github_token:2] [github_token:1]"


def test_placeholders_that_stand_there_keep_their_numbers() -> None:
    assert scan_text(f"[github_token:3] {_TOKEN}").masked == "[github_token:3] [github_token:4]"


@pytest.mark.parametrize(
    ("text", "entities", "gone"),
    [
        ("For MERIDIAN FREIGHT, send batches of 500", ["Meridian Freight"], "MERIDIAN FREIGHT"),
        ("Meridian_freight's invoices", ["Meridian Freight"], "Meridian_freight"),
        ("when Tracyanne disputes a charge", ["Tracyanne Sukhorova"], "Tracyanne"),
        ("row 20394857 was odd", ["20394857"], "20394857"),
    ],
)
def test_entities_of_the_run_are_redacted(text: str, entities: list[str], gone: str) -> None:
    """SPEC 3.5."""
    done = scan_text(text, entities)
    assert gone not in done.masked
    assert any(f.layer == "crosscheck" for f in done.findings)


def test_a_common_word_is_not_redacted_for_being_a_name() -> None:
    """SPEC 3.5."""
    text = "Retry when the page is empty; use may and will as modal verbs."
    assert scan_text(text, ["Will", "May", "Page"]).masked == text


_PIECES = st.lists(
    st.one_of(
        st.text(st.characters(), max_size=20),
        st.sampled_from(
            [
                _TOKEN,
                f"password={_PASSWORD}",
                "[email:1]",
                "a@b.io",
                "4111111111111111",
                "10.1.2.3",
                "Mina Okafor",
                " ",
                "\n",
                '"',
                "=",
                "@",
                "://u:",
            ]
        ),
    ),
    max_size=8,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(_PIECES)
@example("password=\u00e9" + _PASSWORD)
def test_masked_text_scans_clean_and_stays(text: str) -> None:
    """SPEC 3.9, 3.10."""
    done = scan_text(text)
    again = scan_text(done.masked)
    assert again.masked == done.masked
    assert not [f for f in again.findings if f.mask]
    for hit in done.findings:
        assert 0 <= hit.start < hit.end <= len(text)


def test_a_key_without_an_end_takes_no_prose_with_it() -> None:
    lines = [fill("{b64}", i) for i in range(3)]
    text = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(lines) + "\nAbc4=\n\nThen ask for the next step."
    assert scan_text(text).masked == "-----BEGIN RSA PRIVATE KEY-----[private_key:1]\n\nThen ask for the next step."
