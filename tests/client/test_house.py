"""The client stands alone: it needs nothing of the service, the service nothing of it, and what it imports is declared."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from tests.client.test_client import ROOT
from tests.test_house import PACKAGES, SOURCES, imports, normal

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_KAFKA = {"codec.py", "kafka.py", "signing.py"}
"""What only the extra `kafka` can import."""
FILES = {path.name: imports(path) for path in (ROOT / "tidegate_client").glob("*.py")}


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names


def test_neither_needs_the_other() -> None:
    assert {name for names in FILES.values() for name in tops(names)} & {*PACKAGES, "tests"} == set()
    assert [path for path, names in SOURCES.items() if "tidegate_client" in tops(names)] == []


@pytest.mark.parametrize("name", FILES)
def test_what_is_imported_is_declared(name: str) -> None:
    asked = [*PROJECT["dependencies"], *(PROJECT["optional-dependencies"]["kafka"] if name in OF_KAFKA else ())]
    declared = {normal(re.split(r"[\[<>=~! ]", requirement)[0]) for requirement in asked}
    providers = packages_distributions()
    used = tops(FILES[name]) - {"tidegate_client"}
    assert {top for top in used if not declared & {normal(by) for by in providers.get(top, [])}} == set()
