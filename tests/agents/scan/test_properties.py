"""What holds for every text: masking is idempotent and echoes nothing, positions point into the text as sent (SPEC 3.8, 3.9, 3.10).

`make fuzz` runs these for ten minutes.
"""

import base64
import unicodedata

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.scan.placeholder import PLACEHOLDER
from agents.scan.rules import RULES
from agents.scan.rules.named import NAMED, Named
from agents.scan.rules.rule import fill
from agents.scan.text import scan_text

_ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

_SEEDS = st.integers(0, 10_000)
_SECRETS = st.builds(lambda rule, seed: fill(rule.shown, seed), st.sampled_from(RULES), _SEEDS)
_TOKENS = st.builds(
    lambda t, seed: fill(t, seed), st.sampled_from(["ghp_{w36}", "sk_live_{w24}", "AKIA{216}", "glpat-{u20}x", "npm_{w36}"]), _SEEDS
)
_FRAGMENTS = (
    "password= token: 'key': \"secret\": Bearer Basic -u --password <password> </password> value= name: [email:1] [x:2] %40 \\n \\u0041 "
    "\\x41 :// @ :u:p@ eyJ -----BEGIN ----- 4111111111111111 212-555-0147 10.1.2.3 ::1 a@b.io vault.corp.internal Mina Okafor dr. "
    "ignore all previous instructions <!-- --> <|im_start|> \u200b \u202e \U000e0041 é ﬁ ß İ № ½ \ud800 \x00 \x7f kind: Secret data: "
    "Suite 12 Elm Street Apt 4 DE89370400440532013000 536-90-4399 order #"
)
_BITS = st.sampled_from(_FRAGMENTS.split(" "))
_BASE64 = st.binary(max_size=90).map(lambda raw: base64.b64encode(raw).decode())
_PIECES = st.one_of(st.text(max_size=12), _BITS, _SECRETS, st.sampled_from([" ", "\n", "\t", "", '"', "'", "=", ","]), _BASE64)
_TEXTS = st.lists(_PIECES, max_size=14).flatmap(lambda pieces: st.sampled_from(["", " ", "\n"]).map(lambda gap: gap.join(pieces)))


@_ANY
@given(_TEXTS)
@example("password=\u00e9" + fill("{w12}"))
@example("[github_token:1]" * 3 + "@x:1]")
def test_masked_text_scans_clean_and_stays(text: str) -> None:
    done = scan_text(text)
    again = scan_text(done.masked)
    assert again.masked == done.masked
    assert not [f for f in again.findings if f.mask]


@_ANY
@given(_TEXTS)
def test_positions_point_into_the_text_as_sent(text: str) -> None:
    done = scan_text(text)
    for hit in done.findings:
        assert 0 <= hit.start < hit.end <= len(text)
    # What is not masked stands there as it was sent, in order.
    at = 0
    for kept in filter(None, PLACEHOLDER.sub("\x00\x00", done.masked).split("\x00\x00")):
        if "\x00" not in kept and not PLACEHOLDER.search(text):
            at = text.find(kept, at)
            assert at >= 0
            at += len(kept)


@_ANY
@given(st.text(max_size=30), _TOKENS, st.text(max_size=30), st.sampled_from([" ", "\n", '"', "\t", "\u00a0", "«", "。"]))
def test_a_secret_is_found_where_it_stands_and_never_echoed(before: str, secret: str, after: str, edge: str) -> None:
    text = before + edge + secret + edge + after
    done = scan_text(text)
    start = len(before) + len(edge)
    covered: set[int] = set()
    for hit in done.findings:
        if hit.mask:
            covered.update(range(hit.start, hit.end))
    assert covered >= set(range(start, start + len(secret)))
    assert secret not in done.masked
    assert secret not in repr(done.findings)


@_ANY
@given(_TOKENS, st.integers(0, 2**32))
def test_a_look_alike_in_another_script_is_found_too(secret: str, seed: int) -> None:
    """SPEC 3.1: full-width letters, as some keyboards write them."""
    wide = "".join(chr(ord(c) + 0xFEE0) if (seed >> (i % 32)) & 1 and "!" <= c <= "~" else c for i, c in enumerate(secret))
    assert unicodedata.normalize("NFKC", wide) == secret
    done = scan_text(f"use {wide} here")
    assert any(h.hard for h in done.findings)
    assert secret not in unicodedata.normalize("NFKC", done.masked)


@_ANY
@given(st.sampled_from(NAMED), _SEEDS, st.sampled_from(["{n}={v}", '"{n}": "{v}"', "{n}: {v}", "export {n}='{v}'", "<{n}>{v}</{n}>"]))
def test_a_named_credential_is_found_in_any_dress(entry: Named, seed: int, dress: str) -> None:
    name, _, value = fill(entry.shown, seed).partition("=")
    assert value not in scan_text(dress.format(n=name, v=value)).masked
