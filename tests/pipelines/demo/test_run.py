"""`tidegate demo` on engines of its own: all proofs hold, and nothing is left behind (issue A, 8)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.processes
def test_the_demo_holds(tmp_path: Path) -> None:
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "pipelines.cli.main", "demo"], capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("holds  ") == 4
    assert "FAILS" not in done.stdout
    assert "One learning, from its run to the pool:" in done.stdout
    assert all(f"  {said} " in done.stdout for said in ("rejected", "signed  ", "erased  "))
    assert "What to try next" in done.stdout
    assert list(tmp_path.glob("tidegate-demo-*")) == []
