"""Which code and which tests stand for each rule, by the marks `SPEC n.m` in them. `make spec` writes docs/spec.md from it.

Exits with 1 where a rule has no code or no test.
"""

import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("agents", "client", "pipelines", "schemas", "sinks")
SUFFIXES = {".py", ".sql", ".avsc"}
_MARK = re.compile(r"SPEC (\d+\.\d+(?:(?:, | and |-)\d+\.\d+)*)")
_PART = re.compile(r"(\d+)\.(\d+)(?:-(\d+)\.(\d+))?")
_HEAD = """# Every rule, and what stands for it

Written by `make spec` from the marks `SPEC n.m` in code and tests; the rules are named in [rules.toml](rules.toml).

| rule | what it is about | code | tests |
| --- | --- | --- | --- |
"""


def marks(text: str) -> set[str]:
    """Numbers of the rules that a text names: "SPEC 2.8, 2.9" names two, "SPEC 6.1-6.3" three."""
    found: set[str] = set()
    for mark in _MARK.finditer(text):
        for chapter, first, _, last in _PART.findall(mark[1]):
            found |= {f"{chapter}.{n}" for n in range(int(first), int(last or first) + 1)}
    return found


def named() -> dict[str, str]:
    """Every rule and what it is about, in their order."""
    rules: dict[str, str] = tomllib.loads((ROOT / "docs/rules.toml").read_text())["rules"]
    return rules


def standing(folders: tuple[str, ...]) -> dict[str, list[str]]:
    """Files below some folders that name each rule."""
    found: dict[str, list[str]] = defaultdict(list)
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(paths):
        for rule in marks(path.read_text()):
            found[rule].append(str(path.relative_to(ROOT)))
    return found


def table() -> tuple[str, list[str]]:
    """The page, and what is missing of which rule."""
    code, tests = standing(CODE), standing(("tests",))
    rows, missing = [], []
    for rule, title in named().items():
        cells = [", ".join(f"[{Path(f).name}](../{f})" for f in files.get(rule, [])) for files in (code, tests)]
        rows.append(f"| {rule} | {title} | {cells[0] or 'none'} | {cells[1] or 'none'} |")
        missing += [f"{rule} ({title}): no {what}" for what, cell in zip(("code", "test"), cells, strict=True) if not cell]
    return _HEAD + "\n".join(rows) + "\n", missing


def main() -> None:
    """Write the page, and say what is missing."""
    page, missing = table()
    (ROOT / "docs/spec.md").write_text(page)
    print("\n".join(missing) if missing else f"all {len(named())} rules have code and a test", file=sys.stderr)
    raise SystemExit(bool(missing))


if __name__ == "__main__":
    main()
