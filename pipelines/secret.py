"""One secret for a whole deployment (SPEC 2.13): whoever starts with another one would give everything a second identity, so it may not."""

from pipelines import meta
from pipelines.errors import SettingsError
from pipelines.meta import ClientConfig
from pipelines.settings import Settings
from schemas.ids import secret_mark

KEY = "secret"
"""Key of the mark in `meta`."""


def agree(config: ClientConfig, settings: Settings, reader: str, *, found: bool = False) -> None:
    """Compare the secret with the deployment's, of which `meta` keeps a mark. `found`: leave a mark where there is none yet.
    `reader`: who asks, which groups' names begin with: scan, journal, sink or recall.

    Raises SettingsError where the secret is another one or none is set, KafkaException where the broker does not answer.
    """
    mark, group = secret_mark(settings.need_secret()), f"{reader}-reader"
    kept = meta.read(config, settings.prefix, group).get(KEY)
    if kept is None and found:
        meta.write(config, settings.prefix, {KEY: mark})
        kept = meta.read(config, settings.prefix, group).get(KEY)  # somebody else may have left one at the same moment
    if kept is not None and kept != mark:
        raise SettingsError(
            f"TIDEGATE_SECRET ({settings.origins['secret']}) is not the secret that this deployment's ids are made with: "
            "give this process the one that its other workers have; it can't be changed"
        )
