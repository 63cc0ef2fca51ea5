"""What the views need in order to compute what is never stored: decay (SPEC 5.6) and provenance (SPEC 2.10), from the tables in schemas."""

from clickhouse_connect.driver.client import Client

from schemas.decay import TESTED_FACTOR, TYPE_FACTOR, half_life
from schemas.provenance import TIERS


def tell(client: Client, half_life_days: float | None) -> None:
    """Make the view `reading` anew. `half_life_days`: of an untested fact that nobody recalled; None: no decay."""
    halves = {kind: half_life(half_life_days, kind, 0, 0) if half_life_days else 0.0 for kind in TYPE_FACTOR}
    pairs = ", ".join(f"'{kind}', {days!r}" for kind, days in halves.items())
    tiers = ", ".join(f"('{prefix}', toUInt8({tested}), toUInt8({untested}))" for prefix, tested, untested in TIERS)
    client.command(
        f"CREATE OR REPLACE VIEW reading AS SELECT CAST(map({pairs}), 'Map(String, Float64)') AS half_lives,"
        f" {TESTED_FACTOR!r} AS tested_factor, [{tiers}] AS provenance_tiers"
    )
