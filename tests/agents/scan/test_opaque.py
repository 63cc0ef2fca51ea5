"""Random runs of no known format are taken out, mildly (SPEC 3.2, 3.4)."""

import pytest

from agents.scan.rules.rule import fill
from agents.scan.text import scan_text


def _seen(text: str) -> list[tuple[str, str, str]]:
    return [(h.kind, h.severity, text[h.start : h.end]) for h in scan_text(text).findings]


@pytest.mark.parametrize("template", ["zq_{w32}", "req-{w28}", "{w40}", "x.{a36}", "nbx9_{h40}", "{A30}", "toolu_01{w22}"])
@pytest.mark.parametrize("around", ["see {} there", '"x": "{}",', "t={}&q=1", "<i>{}</i>", "{}."])
def test_an_unknown_format_is_an_identifier(template: str, around: str) -> None:
    value = fill(template, 3)
    [(kind, severity, found)] = _seen(around.format(value))
    assert (kind, severity) == ("opaque_id", "low")
    assert value.endswith(found) or found == value


@pytest.mark.parametrize("template", ["acme_sk_{w32}", "acme-live-{w40}", "acmetok_pat_{w24}"])
def test_one_that_calls_itself_a_key_is_a_credential(template: str) -> None:
    value = fill(template, 3)
    assert _seen(f"see {value} there") == [("generic_secret", "high", value)]


@pytest.mark.parametrize(
    "text",
    [
        "HEAD is now at " + fill("{h40}"),
        "client_id = '" + fill("{w32}") + "'",
        "test_masked_text_scans_clean_and_stays_as_it_is()",
        "getUserAccountDetailsByIdentifierV2(request)",
        "Use AbstractSingletonProxyFactoryBean2 from springframework",
        "sha256:" + fill("{h64}"),
        "MAX_CONCURRENT_CONNECTIONS_PER_HOST_2024",
        "see https://docs.acme.test/guides/gettingstartedwithpython3",
        "call the function requireAuthenticationMiddleware then",
    ],
)
def test_names_and_hashes_stay(text: str) -> None:
    assert _seen(text) == []


def test_a_placeholder_names_no_value() -> None:
    """SPEC 3.9: the kind and number of a placeholder are not read as a name and its value."""
    text = "clone http://[github_token:1]@github.com/acme/repo.git"
    assert scan_text(text).masked == text
