"""A person's own data in a wording: telephones, numbers, addresses (SPEC 3.6, 3.11)."""

import pytest

from agents.scan.text import scan_text


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("call me at 0496 46 46 70 please", "phone", "0496 46 46 70"),
        ("Phone: 434 14 557", "phone", "434 14 557"),
        ("+46 (0)8 928 571 38 fax", "phone", "+46 (0)8 928 571 38"),
        ("781 1704 office", "phone", "781 1704"),
        ("my mobile is 07700 900123", "phone", "07700 900123"),
        ("driver's license number is F162823540116", "national_id", "F162823540116"),
        ("passport no. 533380006", "national_id", "533380006"),
        ("his NHS number 943 476 5919", "national_id", "943 476 5919"),
        ("the card 501864667909 was lost", "card_number", "501864667909"),
        ("lives on Hansinegata 120", "address", "Hansinegata 120"),
        ("sent to 12 Rue de la Paix, 75002 Paris", "address", "12 Rue de la Paix, 75002 Paris"),
        ("6614 Luite tee 87\n Apt. 931\n Kuusalu\n Estonia 62031", "address", "6614 Luite tee 87\n Apt. 931\n Kuusalu\n Estonia 62031"),
        ("Address: PSC 4095, Box 8316\nAPO AE 85103", "address", "PSC 4095, Box 8316\nAPO AE 85103"),
        ("it is at P.O. Box 242 now", "address", "P.O. Box 242"),
        ("meet me at the corner of Kuusiku 7 and Alder Flat?", "address", "the corner of Kuusiku 7 and Alder Flat"),
    ],
)
def test_is_seen(text: str, kind: str, value: str) -> None:
    """SPEC 3.3, 3.6."""
    found = [(h.kind, text[h.start : h.end]) for h in scan_text(text).findings if h.layer in ("pii", "card")]
    assert (kind, value) in found


@pytest.mark.parametrize(
    "text",
    [
        "Time 2021-03-01 07:16:59.605000 level=INFO",
        "6033391\n6058722",
        "what is letter 96c",
        "took 120 ms of 5000 ms, 37 % of 16384 rows",
        "see RFC 7519 section 4.1, step 3 of 12",
        "Set batch size 500 and close 3 connections on the way",
        "commit 0496464670 touched 12 files in 4 rooms",
        "Suite of 12 tests; unit tests run in 30 s",
        "port 5432, exit status 137, HTTP 404 Not Found",
        "call the tool 3 times, then wait 1000 ms",
        "The road map: 3 Drive tests a day",
    ],
)
def test_is_not_personal(text: str) -> None:
    assert [(h.kind, text[h.start : h.end]) for h in scan_text(text).findings if h.layer in ("pii", "card")] == []
