"""A bar chart on a logarithmic scale, as SVG."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

_LEFT, _BAR, _ROW, _WIDTH = 150, 22, 34, 640


def chart(rates: Sequence[tuple[str, float]]) -> str:
    """Bars of rates in MB/s, fastest first, each ten times the next."""
    rows = sorted(rates, key=lambda row: -row[1])
    least = 10 ** math.floor(math.log10(min(rate for _, rate in rows)))
    most = max(10 ** math.ceil(math.log10(rows[0][1])), least * 10)
    span = math.log10(most / least)
    height = _ROW * len(rows) + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + _LEFT + 90}" height="{height}" font-family="sans-serif" font-size="13">'
    ]
    for power in range(round(span) + 1):
        x = _LEFT + _WIDTH * power / span
        parts.append(f'<line x1="{x:.0f}" y1="10" x2="{x:.0f}" y2="{height - 34}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="{height - 16}" text-anchor="middle" fill="#555">{least * 10**power:g} MB/s</text>')
    for i, (name, rate) in enumerate(rows):
        y = 16 + i * _ROW
        width = _WIDTH * math.log10(rate / least) / span
        colour = "#2a6f97" if name.startswith("tidegate") else "#a9a9a9"
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{_LEFT}" y="{y}" width="{max(width, 1):.0f}" height="{_BAR}" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + width + 6:.0f}" y="{y + 16}">{rate:.3g}</text>')
    return "\n".join([*parts, "</svg>", ""])
