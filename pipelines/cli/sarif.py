"""Findings as SARIF 2.1.0, which code hosts and editors show (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"info": "none", "low": "note", "medium": "warning", "high": "error"}


def log(found: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One run of the scanner. `found`: rows of `file`, `layer`, `kind`, `severity`, `line`, `column`, `end_line`, `end_column`.

    Lines and columns count from 1, an end column stands behind the last character; columns count code points. No value and no line of
    a text is told.
    """
    rows = list(found)
    kinds = sorted({(row["layer"], row["kind"]) for row in rows})
    index = {kind: i for i, kind in enumerate(kinds)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tidegate",
                        "semanticVersion": version("tidegate"),
                        "rules": [_rule(layer, kind) for layer, kind in kinds],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(row, index[row["layer"], row["kind"]]) for row in rows],
            }
        ],
    }


def _rule(layer: str, kind: str) -> dict[str, Any]:
    return {"id": f"{layer}/{kind}", "shortDescription": {"text": f"{kind.replace('_', ' ')} ({layer})"}}


def _result(row: Mapping[str, Any], rule: int) -> dict[str, Any]:
    region = {"startLine": row["line"], "startColumn": row["column"], "endLine": row["end_line"], "endColumn": row["end_column"]}
    return {
        "ruleId": f"{row['layer']}/{row['kind']}",
        "ruleIndex": rule,
        "level": _LEVELS[row["severity"]],
        "message": {"text": f"{row['kind'].replace('_', ' ')} of severity {row['severity']}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(row["file"])}, "region": region}}],
    }


def _uri(file: str) -> str:
    if file == "-":
        return "stdin"
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
