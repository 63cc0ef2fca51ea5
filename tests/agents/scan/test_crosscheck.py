"""What a run met is found in its learnings, in whatever letters and escapes it is written (SPEC 3.1, 3.5)."""

import pytest

from agents.scan.crosscheck import Entities
from agents.scan.mask import merged

_HEX = b"Xhrqzor Qwobbl".hex()


@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("Jos\u00e9 Nu\u00f1ezz", "Ask Jose\u0301 Nun\u0303ezz.", "Ask ."),
        ("Xhrqzor Qwobbl", "Ask Xhr\u200bqzor Qwo\u00adbbl.", "Ask ."),
        ("Xhrqzor Qwobbl", "Ask \uff38hrqzor\u00a0\uff31wobbl.", "Ask ."),
        ("Xhrqzor Qwobbl", "Open /find?q=Xhrqzor%20Qwobbl now.", "Open  now."),
        ("Xhrqzor Qwobbl", "Open %58hrqzor+%51wobbl now.", "Open  now."),
        ("Xhrqzor Qwobbl", "Ask &#88;hrqzor&nbsp;Qwobbl now.", "Ask  now."),
        ("Xhrqzor Qwobbl", r"Ask \u0058hrqzor\u0020Qwobbl now.", "Ask  now."),
        ("Xhrqzor Qwobbl", f"Decode {_HEX} now.", "Decode  now."),
        ("\u5c71\u7530\u592a\u90ce", "\u524d\u306b\u5c71\u7530\u592a\u90ce\u3055\u3093\u306b", "\u524d\u306b\u3055\u3093\u306b"),
        ("\u041f\u0435\u0442\u0440\u043e\u0432", "\u042d\u0442\u043e \u041f\u0435\u0442\u0440\u043e\u0432.", "\u042d\u0442\u043e ."),
        ("\u041f\u0435\u0442\u0440\u043e\u0432", "\u042d\u0442\u043e \u041a\u0430\u0442\u0440\u0438\u043d.", None),
        ("Ann", "Anna & Annie at 100% of d\u00e9j\u00e0 vu.", None),
    ],
)
def test_what_a_run_met_in_other_letters(value: str, text: str, left: str | None) -> None:
    """None: nothing of it is there."""
    out = text
    for start, end, _ in reversed(merged(list(Entities([value]).look(text)))):
        out = out[:start] + out[end:]
    assert out == (text if left is None else left)
