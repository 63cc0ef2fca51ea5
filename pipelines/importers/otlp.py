"""OTLP as JSON: the spans and log records of a file, attributes and bodies as plain values.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: `resourceSpans` or `resourceLogs`, an `AnyValue` as an object with one of
`stringValue`, `boolValue`, `intValue` (digits in a string), `doubleValue`, `arrayValue`, `kvlistValue`, `bytesValue`; times in nanoseconds.
The file exporter writes one such object a line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pipelines.importers.parsed import Skipped, Source, documents, since_epoch
from schemas.problem import Problem

_BATCHES = {"resourceSpans", "resourceLogs", "resourceMetrics"}
_ERROR_CODES = (2, "STATUS_CODE_ERROR")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a span, or a log record that belongs to one. `body` is null for a span's own events."""

    name: str
    at: datetime | None
    attributes: Mapping[str, Any]
    body: Any = None


@dataclass(slots=True)
class Span:
    """A span with its attributes and those of its resource."""

    file: str
    line: int
    path: str
    trace: str
    id: str
    parent: str | None
    name: str
    began: datetime | None
    ended: datetime | None
    failed: bool
    attributes: dict[str, Any]
    resource: dict[str, Any]
    events: list[Event] = field(default_factory=list)


def spans(source: Source, skipped: list[Skipped]) -> tuple[list[Span], list[tuple[str, str, Event]]]:
    """The spans of a file, and its log records with trace and span."""
    found: list[Span] = []
    logs: list[tuple[str, str, Event]] = []
    for line, value in documents(source):
        if isinstance(value, Problem):
            skipped.append(Skipped(source.name, line, value.field, value.detail))
            continue
        for batch in value if isinstance(value, list) else [value]:
            if not isinstance(batch, dict) or not batch.keys() & _BATCHES:
                skipped.append(Skipped(source.name, line, None, "holds neither resourceSpans nor resourceLogs"))
                continue
            for path, resource, item in _items(batch, "resourceSpans", "scopeSpans", "spans"):
                span = _span(source.name, line, path, resource, item)
                if isinstance(span, Span):
                    found.append(span)
                else:
                    skipped.append(span)
            logs.extend(event for _, _, item in _items(batch, "resourceLogs", "scopeLogs", "logRecords") if (event := _log(item)))
    return found, logs


def _items(batch: Mapping[str, Any], outer: str, middle: str, inner: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    for i, of_resource in enumerate(_listed(batch.get(outer))):
        if not isinstance(of_resource, dict):
            continue
        resource = of_resource.get("resource")
        held = attributes(resource.get("attributes")) if isinstance(resource, dict) else {}
        for j, of_scope in enumerate(_listed(of_resource.get(middle))):
            for k, item in enumerate(_listed(of_scope.get(inner)) if isinstance(of_scope, dict) else []):
                yield f"{outer}[{i}].{middle}[{j}].{inner}[{k}]", held, item


def _span(file: str, line: int, path: str, resource: dict[str, Any], item: Any) -> Span | Skipped:
    if not isinstance(item, dict):
        return Skipped(file, line, path, "not an object")
    for name in ("traceId", "spanId"):
        if not isinstance(item.get(name), str) or not item[name].strip():
            return Skipped(file, line, f"{path}.{name}", "is needed")
    status, parent = item.get("status"), item.get("parentSpanId")
    events = [e for e in _listed(item.get("events")) if isinstance(e, dict)]
    return Span(
        file=file,
        line=line,
        path=path,
        trace=item["traceId"].lower(),
        id=item["spanId"].lower(),
        parent=parent.lower() if isinstance(parent, str) and parent.strip("0 ") else None,
        name=str(item.get("name", "")),
        began=since_epoch(item.get("startTimeUnixNano")),
        ended=since_epoch(item.get("endTimeUnixNano")),
        failed=isinstance(status, dict) and status.get("code") in _ERROR_CODES,
        attributes=attributes(item.get("attributes")),
        resource=resource,
        events=[Event(str(e.get("name", "")), since_epoch(e.get("timeUnixNano")), attributes(e.get("attributes"))) for e in events],
    )


def _log(item: Any) -> tuple[str, str, Event] | None:
    """A log record of a span; others are no part of any run."""
    if not isinstance(item, dict) or not isinstance(item.get("traceId"), str) or not isinstance(item.get("spanId"), str):
        return None
    held = attributes(item.get("attributes"))
    name = item.get("eventName") or held.get("event.name")
    at = since_epoch(item.get("timeUnixNano")) or since_epoch(item.get("observedTimeUnixNano"))
    return item["traceId"].lower(), item["spanId"].lower(), Event(str(name or ""), at, held, any_value(item.get("body")))


def attributes(held: object) -> dict[str, Any]:
    """Attributes as a mapping; what is none of them is left out."""
    pairs = (pair for pair in _listed(held) if isinstance(pair, dict) and isinstance(pair.get("key"), str))
    return {pair["key"]: any_value(pair.get("value")) for pair in pairs}


def any_value(held: Any) -> Any:
    """The plain value of an `AnyValue`; what is none is given as it is."""
    if not isinstance(held, dict) or len(held) != 1:
        return held
    [(kind, value)] = held.items()
    if kind == "intValue":
        return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 20 else value
    if kind == "arrayValue":
        return [any_value(v) for v in _listed(value.get("values"))] if isinstance(value, dict) else []
    if kind == "kvlistValue":
        return attributes(value.get("values")) if isinstance(value, dict) else {}
    return value if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue") else held


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
