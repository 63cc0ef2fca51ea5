"""Credentials without a format of their own that are known by whose name stands in the name they are given (SPEC 3.2).

They are found as any assigned value is; this table gives them a kind. One entry a kind.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_HEX32, _UUID = "{h32}", "{h8}-{h4}-{h4}-{h4}-{h12}"


@dataclass(frozen=True, slots=True)
class Named:
    """`word`: Python expression for what stands in the name, without case; `value`: expression for the whole value; `shown`: a template
    of a name and its value (see `fill`)."""

    kind: str
    word: str
    value: str
    shown: str


NAMED: tuple[Named, ...] = (
    Named("twilio", r"twilio", r"[0-9a-f]{32}|[0-9A-Za-z]{32}", f"TWILIO_AUTH_TOKEN={_HEX32}"),
    Named("aws_secret_key", r"aws|amazon|secret_?access_?key", r"[0-9A-Za-z/+]{40}", "AWS_SECRET_ACCESS_KEY={b40}"),
    Named("datadog_key", r"datadog|(?<![a-z])dd_", r"[0-9a-f]{32}|[0-9a-f]{40}", "DD_APP_KEY={h40}"),
    Named("cloudflare_key", r"cloudflare|(?<![a-z])cf_", r"[0-9a-f]{37}|[\w-]{40}", "CLOUDFLARE_API_KEY={h37}"),
    Named("heroku_key", r"heroku", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", f"HEROKU_API_KEY={_UUID}"),
    Named("algolia_key", r"algolia", r"[0-9a-f]{32}", f"ALGOLIA_API_KEY={_HEX32}"),
    Named("pagerduty_key", r"pager_?duty", r"[\w+-]{20}", "PAGERDUTY_TOKEN={w20}"),
    Named("okta_token", r"okta", r"[\w-]{42}", "OKTA_API_TOKEN={u42}"),
    Named("auth0_secret", r"auth0", r"[\w-]{64}", "AUTH0_CLIENT_SECRET={u64}"),
    Named("azure_key", r"azure", r"[0-9A-Za-z+/]{86}==|[0-9a-f]{32}", f"AZURE_OPENAI_KEY={_HEX32}"),
    Named("mailgun_key", r"mailgun", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}", "MAILGUN_API_KEY={h32}-{h8}-{h8}"),
    Named("mapbox_token", r"mapbox", r"[ps]k\.[\w.-]{60,}", "MAPBOX_TOKEN=sk.eyJ{u80}.{u22}"),
    Named("cohere_key", r"cohere|(?<![a-z])co_api", r"[0-9A-Za-z]{40}", "CO_API_KEY={w40}"),
    Named("mistral_key", r"mistral", r"[0-9A-Za-z]{32}", "MISTRAL_API_KEY={w32}"),
    Named("deepseek_key", r"deepseek", r"sk-[0-9a-f]{32}", "DEEPSEEK_API_KEY=sk-{h32}"),
    Named("wandb_key", r"wandb", r"[0-9a-f]{40}", "WANDB_API_KEY={h40}"),
    Named("circleci_token", r"circle_?(?:ci)?", r"[0-9a-f]{40}", "CIRCLE_TOKEN={h40}"),
    Named("travis_token", r"travis", r"[\w-]{20,22}", "TRAVIS_TOKEN={w22}"),
    Named("trello_token", r"trello", r"[0-9a-f]{64}|[0-9a-f]{32}", "TRELLO_TOKEN={h64}"),
    Named("zendesk_token", r"zendesk", r"[0-9A-Za-z]{40}", "ZENDESK_API_TOKEN={w40}"),
    Named("intercom_token", r"intercom", r"[0-9A-Za-z=_-]{60}", "INTERCOM_TOKEN={u60}"),
    Named("salesforce_secret", r"salesforce|(?<![a-z])sfdc", r"[0-9A-Z]{64}|[0-9]{15,20}", "SALESFORCE_CLIENT_SECRET={H64}"),
    Named("snowflake_password", r"snowflake", r"\S{6,}", "SNOWFLAKE_PASSWORD={w16}"),
    Named("fastly_key", r"fastly", r"[\w-]{32}", "FASTLY_API_KEY={u32}"),
    Named("sumologic_key", r"sumo", r"[0-9A-Za-z]{14}|[0-9A-Za-z]{64}", "SUMO_ACCESS_KEY={w64}"),
    Named("twitter_secret", r"twitter", r"[0-9A-Za-z]{25,50}|[0-9]{5,}-[0-9A-Za-z]{30,}", "TWITTER_API_SECRET={w50}"),
    Named("shodan_key", r"shodan", r"[0-9A-Za-z]{32}", "SHODAN_API_KEY={w32}"),
    Named("jenkins_token", r"jenkins", r"[0-9a-f]{32,34}", "JENKINS_API_TOKEN={h34}"),
    Named("drone_token", r"drone", r"[0-9A-Za-z]{32}", "DRONE_TOKEN={w32}"),
    Named("codecov_token", r"codecov", r"[0-9a-z]{32}|[0-9a-f-]{36}", f"CODECOV_TOKEN={_UUID}"),
)


@lru_cache(maxsize=1)
def _compiled() -> list[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    return [(n.kind, re.compile(n.word, re.IGNORECASE), re.compile(f"(?:{n.value})$", re.IGNORECASE)) for n in NAMED]


@lru_cache(maxsize=1)
def _any() -> re.Pattern[str]:
    return re.compile("|".join(n.word for n in NAMED), re.IGNORECASE)


def named(name: str, value: str) -> str | None:
    """The kind of an assigned credential by whose name stands in its name, or None."""
    if not _any().search(name):
        return None
    return next((kind for kind, word, shape in _compiled() if word.search(name) and shape.match(value)), None)
