"""What the office's agents find out, and what they work at: lore.toml, read."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Lore:
    """Something that can be found out. `quality`: good, mixed, bad or local, as lore.toml says."""

    key: str
    quality: str
    tool: str
    rule: str
    cue: str


@dataclass(frozen=True, slots=True)
class Department:
    """A kind of work. `goals` have a place for a person; `questions` are what the demo asks of its pool."""

    goals: tuple[str, ...]
    tools: tuple[str, ...]
    questions: tuple[str, ...]
    lore: tuple[Lore, ...]


def read_lore() -> Mapping[str, Department]:
    """Departments by name."""
    with (Path(__file__).parent / "lore.toml").open("rb") as file:
        return {
            name: Department(tuple(d["goals"]), tuple(d["tools"]), tuple(d["questions"]), tuple(Lore(**entry) for entry in d["lore"]))
            for name, d in tomllib.load(file).items()
        }
