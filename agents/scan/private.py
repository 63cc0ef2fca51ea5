"""The texts of a run that only its agent will see: steps, claims, what its environment says. Masked, not generalised (SPEC 3.9)."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agents.scan.detect import detect
from agents.scan.findings import Found
from agents.scan.hit import Hit
from agents.scan.mask import Numbers, mask
from agents.scan.naming import found_in
from agents.scan.telling import told
from schemas.jsonform import canonical, dump
from schemas.records import Run

_ROUNDS = 4
_READ, _SHOWN = 4000, 200
"""Characters of an excerpt that are scanned and that are kept: what the first cut splits stands far behind the second."""
_STEP = re.compile(r"(\w+)|\[(\d+)\]")
_SEGMENT = re.compile(r"[^\s/\",]{4,}")
UNSCANNED = "[unscanned:1]"
"""Stands for a text that could not be made clean."""


def note(found: Found, where: str, value: Any) -> None:
    """First pass over a text or a JSON value: take note of what stands in it."""
    try:
        for text in _texts(value):
            found.hits(where, text, detect(text))
        for one in told(value):
            found.told(where, one)
    except Exception:  # fail closed (SPEC 3.10): what can't be read is not stored, and pulls the run to the strictest floor
        found.failed = True


def clean(found: Found, numbers: Numbers, value: Any) -> Any:
    """Second pass: the value with all that was found in the run taken out of it, numbers and keys of objects too."""
    try:
        return _clean(found, numbers, value)
    except Exception:
        found.failed = True
        return UNSCANNED


def clean_json(found: Found, numbers: Numbers, text: str | None) -> str | None:
    """The same for JSON text."""
    return None if text is None else canonical(clean(found, numbers, json.loads(text)))


def _clean(found: Found, numbers: Numbers, value: Any) -> Any:
    if isinstance(value, str):
        return _clean_text(found, numbers, value)
    if isinstance(value, dict):
        return {_clean_text(found, numbers, k): _clean(found, numbers, v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(found, numbers, v) for v in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = str(value)
        shown = _clean_text(found, numbers, text)
        return value if shown == text else shown
    return value


def _clean_text(found: Found, numbers: Numbers, text: str) -> str:
    for _ in range(_ROUNDS):
        hits = [h for h in detect(text) if h.mask]
        hits += _known(found, text)
        if not hits:
            return text
        text = mask(text, hits, numbers)
    return UNSCANNED


def _known(found: Found, text: str) -> Iterator[Hit]:
    """Values found elsewhere in the run, in this text; as words, unless they are secrets."""
    low = text.lower()
    low = low if len(low) == len(text) else text
    for value, (kind, layer) in found.values.items():
        secret = layer == "credential"
        body, wanted = (text, value) if secret else (low, value.lower())
        at = body.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if secret or not (
                (body[at - 1 : at].isalnum() and wanted[0].isalnum()) or (body[end : end + 1].isalnum() and wanted[-1].isalnum())
            ):
                yield Hit("credential" if secret else "crosscheck", kind, "high" if secret else "low", at, end)
            at = body.find(wanted, end)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= 10**8:
        yield str(value)


def excerpt(record: Any, field: str | None) -> str:
    """A record that was decoded but can't be taken, masked (SPEC 9.4): the part that the field at fault stands in, from that field on.

    Of a run without what it met and its goal, which is never stored (SPEC 3.12).
    """
    found, numbers = Found(), Numbers()
    if isinstance(record, Run):
        for entity in record.entities:
            found.value(entity.value, "entity_leak", "crosscheck")
        record = replace(record, goal=None, entities=())
    whole = dump(record)
    shown = _around(whole, field or "")[:_READ]
    note(found, "", whole)
    note(found, "", shown)
    for segment in _SEGMENT.findall(shown):
        if found_in(segment):  # names and ids are no prose: what they tell is seen in them alone
            found.value(segment, "name", "pii")
    return UNSCANNED if found.failed else str(clean(found, numbers, shown))[:_SHOWN]


def _around(value: Any, path: str) -> str:
    """JSON text of the innermost object that a path ("learnings[2].rule") leads through, with what the path names in front."""
    inside, first = value, ""
    for name, number in _STEP.findall(path):
        value = value[int(number)] if number else value.get(name)
        if isinstance(value, dict):
            inside, first = value, ""
        elif name:
            first = name
        if not isinstance(value, dict | list):
            break
    front = {first: inside[first]} if first in inside else {}
    return json.dumps(front | inside, separators=(",", ":"), ensure_ascii=False)
