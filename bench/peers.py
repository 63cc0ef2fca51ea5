"""What peers need and the product does not: a virtual environment each, and jars. Made once, under the benchmark's work folder."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import job

HERE = Path(__file__).parent


class Missing(Exception):
    """A peer can't be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A package that is measured, with what its program needs beside it."""

    name: str
    requirements: tuple[str, ...]


def venv(work: Path, peer: Peer) -> Path:
    """Python of a peer's own virtual environment. Raises Missing where it can't be made."""
    folder = work / "venvs" / peer.name
    python = folder / "bin" / "python"
    done = folder / "done"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)], peer.name)
        _run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *peer.requirements], peer.name)
        done.touch()
    return python


def java_classes(work: Path) -> str:
    """Class path of the Kafka Streams program, compiled. Raises Missing without Java or Maven."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
    jars, classes = work / "streams" / "jars", work / "streams" / "classes"
    if not jars.is_dir():
        partial = jars.with_name(f"jars.{os.getpid()}")
        pom = str(HERE / "engines" / "pom.xml")
        _run(["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={partial}"], "Kafka Streams")
        partial.rename(jars)
    source = HERE / "engines" / "KafkaStreams.java"
    made = classes / "KafkaStreams.class"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        _run(["javac", "-cp", f"{jars}/*", "-d", str(classes), str(source)], "Kafka Streams")
    return f"{classes}:{jars}/*"


def java_environment() -> dict[str, str]:
    """What the Java program can't read out of job.py."""
    return {"BENCH_SCHEMA": json.dumps(job.SCHEMA), "BENCH_HEADER": job.HEADER.hex(), "BENCH_WINDOW": str(job.WINDOW)}


def _run(command: list[str], name: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Missing(f"{name} can't be installed: {said[-1] if said else f'status {done.returncode}'}")
