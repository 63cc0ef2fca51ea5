"""Secrets as Kubernetes keeps them: every value under `data` and `stringData` of `kind: Secret`, whatever it is called (SPEC 3.2).

The fields: https://kubernetes.io/docs/concepts/configuration/secret/
"""

import base64
import binascii
import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.placeholder import PLACEHOLDER, stands_for_one

ANCHORS = (Anchor("k8s secret", r"[\"']?kind[\"']?:[ \t]{0,4}[\"']?Secret\b"),)

_REACH = 20_000
"""Characters of a document that are read before and behind its kind."""
_EDGE = re.compile(r"(?m)^---|(?<=\n)\.\.\.$")
_DATA = re.compile(r"(?m)^(?P<in>[ \t]*)(?P<plain>stringData|data):[ \t]*\n(?P<body>(?:(?P=in)[ \t]+\S.*\n?|[ \t]*\n)+)")
_PAIR = re.compile(r"(?m)^[ \t]+[\"']?[\w./-]+[\"']?:[ \t]*(?P<q>[\"']?)(?P<v>[^\s\"'#|>][^\n\"']*?)(?P=q)[ \t]*$")
_JSON = re.compile(r"\"(?P<plain>stringData|data)\"\s{0,4}:\s{0,4}\{(?P<body>[^{}]*)\}")
_JSON_PAIR = re.compile(r"\"[^\"\n]{1,120}\"\s{0,4}:\s{0,4}\"(?P<v>[^\"\n]+)\"")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Values of Kubernetes secrets in an ASCII text."""
    after = 0
    for end in seen.get("k8s secret", ()):
        if end <= after:
            continue
        before = [m.end() for m in _EDGE.finditer(text, max(after, end - _REACH), end)]
        behind = _EDGE.search(text, end, min(len(text), end + _REACH))
        begin, after = before[-1] if before else max(after, end - _REACH), behind.start() if behind else min(len(text), end + _REACH)
        for sections, pairs in ((_DATA, _PAIR), (_JSON, _JSON_PAIR)):
            for section in sections.finditer(text, begin, after):
                for pair in pairs.finditer(text, section.start("body"), section.end("body")):
                    if _kept(pair["v"], plain=section["plain"] == "stringData"):
                        yield Hit("credential", "k8s_secret", "high", pair.start("v"), pair.end("v"), hard=True)


def _kept(value: str, *, plain: bool) -> bool:
    if len(value) < 4 or PLACEHOLDER.search(value) or stands_for_one(value):
        return False
    if plain:
        return True
    try:
        return len(base64.b64decode(value, validate=True)) >= 4
    except (binascii.Error, ValueError):
        return False
