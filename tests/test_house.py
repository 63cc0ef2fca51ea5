"""The house keeps its own rules: imports go one way, what is installed is locked, what is imported is declared."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("agents", "pipelines", "schemas", "sinks")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = ("requirements.txt", "requirements-dev.txt")


def imports(path: Path) -> set[str]:
    """Modules that a file imports, by their full names."""
    tree = ast.walk(ast.parse(path.read_text()))
    found: set[str] = set()
    for node in tree:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


SOURCES = {path.relative_to(ROOT): imports(path) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


def test_arrows_go_one_way() -> None:
    """DESIGN, "The layout": pipelines, then agents and sinks, then schemas."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_the_bindings_know_faust() -> None:
    """DESIGN, "The layout": an agent's agent.py, the binding that they share, and how pipelines run them."""
    knowing = {str(path) for path, names in SOURCES.items() if {name.split(".")[0] for name in names} & {"faust", "aiokafka", "mode"}}
    stray = {path for path in knowing if not re.fullmatch(r"agents/(binding/\w+|\w+/agent)\.py|pipelines/\w+\.py", path)}
    assert stray == set()


def test_what_is_imported_is_declared() -> None:
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["meaning"]]
    declared = {normal(re.split(r"[\[<>=~! ]", requirement)[0]) for requirement in asked}
    providers = packages_distributions()
    used = {name.split(".")[0] for names in SOURCES.values() for name in names} - sys.stdlib_module_names - set(PACKAGES)
    assert {top for top in used if not declared & {normal(by) for by in providers.get(top, [])}} == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_have_hashes_and_no_hosts(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"https?:|--index-url|--find-links|--extra-index|file://|/tmp/", text)
    pins = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    assert all(re.match(r"[a-z0-9-]+==\S+", pin) and "--hash=sha256:" in pin for pin in pins)


@pytest.mark.parametrize(("lock", "extras"), [("requirements.txt", ()), ("requirements-dev.txt", ("dev",))])
def test_locks_hold_what_is_declared(lock: str, extras: tuple[str, ...]) -> None:
    asked = [*PROJECT["dependencies"], *(r for extra in extras for r in PROJECT["optional-dependencies"][extra])]
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))
    for requirement in asked:
        name, least = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?[>=]=(\S+)", requirement).groups()  # type: ignore[union-attr]
        assert version(pinned[normal(name)]) >= version(least), requirement


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))
