"""The drawing of `tidegate explain --plot`."""

from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

from pipelines.cli.plot import HEIGHT, WIDTH, confidence

START = datetime(2026, 3, 1, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


def row(hours: int, confidence: float, cause: str = "outcome", **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"version": hours + 1, "at": START + timedelta(hours=hours), "cause": cause, "confidence": confidence}
    return given | {"cause_id": None, "result": None, "evidence_status": "untested"} | more


def test_a_dot_for_each_move_within_the_frame() -> None:
    """What moved nothing has no dot; a replaced wording has a line; names are text, not markup."""
    rows = [
        row(0, 1.0, "created"),
        row(1, 0.0, cause_id="<o&1>", result="critical_failure"),
        row(2, 0.0, "nothing"),
        row(3, 1.0, "rewritten"),
    ]
    drawn = ElementTree.fromstring(confidence("a/<key>", rows))
    dots = drawn.findall(f"{SVG}circle")
    assert [(float(d.attrib["cx"]), float(d.attrib["cy"])) for d in dots] == [(48, 40), (326.7, 284), (884, 40)]
    assert all(0 <= float(d.attrib["cx"]) <= WIDTH and 0 <= float(d.attrib["cy"]) <= HEIGHT for d in dots)
    assert "<o&1>, critical_failure, 0.0000" in (dots[1][0].text or "")
    assert drawn.findall(f"{SVG}text")[0].text == "Confidence of a/<key>"


def test_one_event_alone() -> None:
    assert confidence("a/b", [row(0, 0.7, "created")]).count("<circle") == 1
