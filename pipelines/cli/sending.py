"""One record sent by a command, and waited for until it can be read what came of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pipelines.cli import engines, output

if TYPE_CHECKING:
    from pipelines.produce import Record


def send_one(asked: engines.Engines, topic: str, record: "Record", timeout: float) -> tuple[str, Mapping[str, Any]]:
    """Send a record of one part; its receipt's id, and how the part ended: `end`, `reason`. Raises Failure where it is not taken."""
    from pipelines.errors import SettingsError
    from pipelines.produce import send
    from pipelines.wait import until_ended, until_shown
    from schemas import validate
    from sinks.queries import ends, receipt

    sound = validate.problem(record) or record
    report = send([(1, sound)], topic, asked.producer(), asked.settings.prefix, asked.signer, lambda *_: None)
    if report.failure:
        raise report.failure
    if report.refused:
        raise SettingsError(f"{report.refused[0].field}: {report.refused[0].error}")
    asked.until_saved()
    sent = report.sent[0]
    with output.progress() as shown:
        until_shown(asked.offsets, [sent], timeout, shown.show)
        until_ended([sent], lambda ids: ends(asked.clickhouse, ids), timeout, shown.show)
    return sent.receipt, receipt(asked.clickhouse, sent.receipt)[0]
