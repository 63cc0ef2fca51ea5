"""`tidegate config`."""

from dataclasses import asdict

from pipelines.cli import engines, output
from pipelines.cli.options import Json


def config(as_json: Json = False) -> None:
    """Print every setting: its value, where it came from and what it means. Secrets are hidden."""
    from pipelines.settings import entries

    settings = engines.read_settings()
    output.rows((asdict(entry) for entry in entries(settings)), ("name", "value", "origin", "meaning"), as_json=as_json)
