"""faust-streaming as its guide writes it: records, an event at a time, a table write and an awaited send each."""

import logging

import faust

from bench import job

setting = job.Setting()
app = faust.App(
    f"{setting.name}-faust",
    broker=f"kafka://{setting.brokers}",
    datadir=setting.data,
    topic_partitions=job.PARTITIONS,
    topic_disable_leader=True,
    web_enabled=False,
)
progress = job.Progress()


class Credit(faust.Record):
    """One credit of an outcome."""

    outcome: str
    applied: bool
    helpful: bool
    at: int


class Learning(faust.Record):
    """What is known of a learning."""

    applied: int = 0
    helpful: int = 0
    sent: bool = False
    outcomes: list[str] = []  # noqa: RUF012


outcomes = app.topic(setting.topic("outcomes"), key_type=bytes, value_type=bytes, value_serializer="raw")
credits = app.topic(setting.topic("credits"), key_type=str, value_type=Credit)
candidates = app.topic(setting.topic("candidates"), key_type=str, value_serializer="json")
learnings = app.Table("learnings", default=Learning, partitions=job.PARTITIONS, key_type=str, value_type=Learning)


@app.agent(outcomes)
async def split(stream: faust.Stream[bytes]) -> None:
    """Outcomes in, credits out."""
    async for message in stream:
        outcome = job.decode(message)
        for c in outcome["credits"]:
            credit = Credit(outcome["outcome_id"][:16], c["applied"], c["helpful"], outcome["at"])
            await credits.send(key=c["learning"], value=credit)


@app.agent(credits)
async def count(stream: faust.Stream[Credit]) -> None:
    """Credits in, states and candidates out."""
    async for learning, credit in stream.items():
        known = learnings[learning]
        if credit.outcome not in known.outcomes:
            applied, helpful = known.applied + credit.applied, known.helpful + (credit.applied and credit.helpful)
            passes = not known.sent and applied >= job.MIN_APPLIED and helpful >= job.MIN_RATIO * applied
            latest = [*known.outcomes, credit.outcome][-job.WINDOW :]
            learnings[learning] = Learning(applied, helpful, known.sent or passes, latest)
            if passes:
                candidate = {"learning": learning, "applied": applied, "helpful": helpful, "at": credit.at}
                await candidates.send(key=learning, value=candidate)
        progress.counted += 1


if __name__ == "__main__":
    logging.getLogger("aiokafka").setLevel(logging.ERROR)
    app.main()
