"""Confidence over time as a drawing (SVG): steps, a dot for what moved it, a line where the wording was replaced."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

WIDTH, HEIGHT = 900, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 16, 40, 36
_COLOURS = {"success": "#1a7f37", "minor_failure": "#bc4c00", "failure": "#cf222e", "critical_failure": "#82071e", "retracted": "#8250df"}
_OTHER, _INK, _FAINT = "#57606a", "#24292f", "#d0d7de"
_WORDINGS = ("rewritten", "rolled_back")


def confidence(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The drawing of what `explain` tells, oldest first, at least one row. Each dot says on hover what it is."""
    first, last = rows[0]["at"], rows[-1]["at"]
    moved = [row for row in rows if row["cause"] != "nothing"]
    points = [(_x(row["at"], first, last), _y(row["confidence"])) for row in moved]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:]) + f"H{WIDTH - _RIGHT}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">Confidence of {escape(title)}</text>',
        *(_level(level) for level in (0.0, 0.25, 0.5, 0.75, 1.0)),
        f'<text x="{_LEFT}" y="{HEIGHT - 12}">{first:%Y-%m-%d %H:%M:%S}Z</text>',
        f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 12}" text-anchor="end">{last:%Y-%m-%d %H:%M:%S}Z</text>',
        *(_wording(x) for row, (x, _) in zip(moved, points, strict=True) if row["cause"] in _WORDINGS),
        f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="1.5"/>',
        *(_dot(row, x, y) for row, (x, y) in zip(moved, points, strict=True)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(at: datetime, first: datetime, last: datetime) -> float:
    whole = (last - first).total_seconds()
    share = (at - first).total_seconds() / whole if whole else 0.0
    return _LEFT + share * (WIDTH - _LEFT - _RIGHT)


def _y(level: float) -> float:
    return _TOP + (1 - level) * (HEIGHT - _TOP - _BOTTOM)


def _level(level: float) -> str:
    # Below 0.5 a failure discredits (SPEC 5.5): that line is dashed.
    dashes = ' stroke-dasharray="4 3"' if level == 0.5 else ""
    y = _y(level)
    return (
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{level:g}</text>'
        f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_FAINT}"{dashes}/>'
    )


def _wording(x: float) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}" stroke="{_OTHER}" stroke-dasharray="2 4"/>'


def _dot(row: Mapping[str, Any], x: float, y: float) -> str:
    told = [f"version {row['version']}", row["cause"], row["cause_id"], row["result"], f"{row['confidence']:.4f}", row["evidence_status"]]
    text = escape(", ".join(t for t in told if t))
    colour = _COLOURS.get(row["result"] or "", _OTHER)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{text}</title></circle>'
