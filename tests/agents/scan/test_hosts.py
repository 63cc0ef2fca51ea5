"""Internal hosts and numeric ids (SPEC 3.4)."""

import pytest

from agents.scan.text import scan_text


def _seen(text: str) -> list[tuple[str, str]]:
    return [(h.kind, text[h.start : h.end]) for h in scan_text(text).findings]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("the vault is vault-1.corp.internal here", "vault-1.corp.internal"),
        ("open https://printer.local/x", "printer.local"),
        ("ask db01.prod.lan:5432", "db01.prod.lan"),
        ("ssh build.acme.corp.", "build.acme.corp"),
        ("reach payments.prod.svc.cluster.local first", "payments.prod.svc.cluster.local"),
        ("the host ledger.acme.internal is slow", "ledger.acme.internal"),
        ("log in at initech.okta.com", "initech.okta.com"),
        ("copy from ledger-logs.s3.eu-west-1.amazonaws.com", "ledger-logs.s3.eu-west-1.amazonaws.com"),
        ("it runs on ledger.abc123.eu-west-1.rds.amazonaws.com", "ledger.abc123.eu-west-1.rds.amazonaws.com"),
    ],
)
def test_hosts_of_an_organisation_are_masked(text: str, host: str) -> None:
    assert ("host", host) in _seen(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("customer id: 20394 paid", "20394"),
        ("order #W2378156 is late", "W2378156"),
        ("user_id=4481992", "4481992"),
        ("see case 00481523", "00481523"),
        ('"account_number": "99120047"', "99120047"),
    ],
)
def test_numbers_of_a_case_are_masked(text: str, number: str) -> None:
    assert ("numeric_id", number) in _seen(text)


@pytest.mark.parametrize(
    "text",
    [
        "see docs.python.org and https://api.slack.com/methods",
        "edit settings.local and ~/.local/bin/run",
        "import com.acme.internal; foo.internal.Bar()",
        "from google.protobuf.internal import decoder",
        "like py.path.local objects",
        "a PR of 3 files; order 500 items; user 404; ticket 12",
        "port 54321, 100000 rows, RFC 12345",
    ],
)
def test_what_everybody_knows_stays(text: str) -> None:
    assert _seen(text) == []


@pytest.mark.parametrize("address", ["user@example.com", "noreply@mail.example.org", "a@x.example", "b@host.invalid", "c@y.test"])
def test_reserved_domains_identify_nobody(address: str) -> None:
    """SPEC 3.4; RFC 2606 and 6761 set them apart for documents and tests."""
    assert _seen(f"write to {address} first") == []
