"""Assigned credentials get the kind of whose name stands in theirs (SPEC 3.2)."""

import pytest

from agents.scan.rules.named import NAMED, Named, named
from agents.scan.rules.rule import fill
from agents.scan.text import scan_text


@pytest.mark.parametrize("entry", NAMED, ids=[n.kind for n in NAMED])
def test_the_example_has_its_kind(entry: Named) -> None:
    for seed in range(3):
        text = fill(entry.shown, seed)
        name, _, value = text.partition("=")
        for shown in (text, f'{name.lower()}: "{value}"', f'{{"{name}": "{value}"}}'):
            done = scan_text(shown)
            assert entry.kind in {h.kind for h in done.findings if h.hard}, shown
            assert value not in done.masked


def test_another_form_is_generic() -> None:
    assert named("TWILIO_AUTH_TOKEN=", fill("{h20}")) is None
    assert named("ACME_AUTH_TOKEN=", fill("{h32}")) is None


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("PAGERDUTY_TOKEN=rqG0JMZokCNWDLkyrrJM", True),  # of its vendor's shape, with one digit alone
        ("PAGERDUTY_TOKEN=getPagerdutyTokenNow", False),
        ("jenkins_token = JenkinsTokenProviderFactory12", False),
        ("DRONE_TOKEN=DroneTokenFromSecretsManagerHere", False),
    ],
)
def test_letters_in_no_order_of_words_are_enough_where_the_vendor_s_shape_fits(text: str, taken: bool) -> None:
    assert (scan_text(text).masked != text) is taken
