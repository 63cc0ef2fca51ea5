"""Who sees which rows of the embedded engine, and through which views (SPEC 4.4, 7.1; DESIGN, "Who sees what in ClickHouse").

Each handle says by `log_comment` for whom it asks, before it becomes read-only; a filter of each table lets rows through for that one:

- the operator, `*`: everything;
- who may see an organisation's figures, `org:` and its name: rows of the organisation. No wording but a pool's: the views leave it out;
- an agent, `own:`, its organisation's name, a line's end, which no name holds, and its own: rows of its own.

Nobody else gets a row, however he asks: views, `merge` and joins read through the same filters. What is inside of recall, and what holds
texts that no view shows, lets the operator through alone.
"""

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from sinks.client import DATABASE
from sinks.identity import Who

OPERATOR = "*"
ORG_ROLES = ("analyst", "auditor", "administrator")
"""Who may see an organisation's figures, where he has the role in the whole of it."""

_OPERATOR = "getSetting('log_comment') = '*'"
_ORG = "getSetting('log_comment') IN ('*', concat('org:', org))"
_ALONE = "getSetting('log_comment') IN ('*', concat('own:', org, '\\n', agent))"
_OWN = "getSetting('log_comment') IN ('*', concat('org:', org), concat('own:', org, '\\n', agent))"
FILTERS: dict[str, str] = {
    "claims": _ALONE,
    **dict.fromkeys(("entries", "learnings", "counters", "episodes", "outcomes", "credits", "exposures", "findings", "receipts"), _OWN),
    **dict.fromkeys(("shared", "pool", "pool_members", "decisions", "erased"), _ORG),
    **dict.fromkeys(("principals", "identities", "identity_keys", "requests", "dead_letters", "migrations"), _OPERATOR),
    **dict.fromkeys(("journal", "journal_texts", "journal_keys", "journal_checkpoints", "journal_countersignatures"), _OPERATOR),
    **dict.fromkeys(("postings", "wordings", "vectors", "pool_rows", "pool_arrivals", "pool_packed", "erased_runs"), _OPERATOR),
}
"""For each table, and each view that keeps its rows in another, which are let through."""

_EVENTS = ("v_runs", "v_outcomes", "v_credits", "v_exposures", "v_findings", "v_refused", "v_claims")
OWN_VIEWS = frozenset({"v_learnings", "v_entry_versions", "v_evidence", *_EVENTS})
ORG_VIEWS = OWN_VIEWS | {"v_pool", "v_funnel", "v_gate_misses", "v_decisions", "v_importance", "v_erasures"}
SYSTEM = frozenset({"system.one", "system.settings"})
"""What clients of ClickHouse read as they connect, and what a SELECT without a table reads: nothing of anybody's."""


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a handle asks. `comment`: what it says by `log_comment`; `views`: what it may name; None: everything."""

    comment: str
    views: frozenset[str] | None


EVERYBODY = Asker(OPERATOR, None)


def asker(who: Who) -> Asker | None:
    """What a principal may ask; None where it may ask nothing."""
    if who.has(*ORG_ROLES):
        return Asker(f"org:{who.org}", ORG_VIEWS)
    return Asker(f"own:{who.org}\n{who.principal}", OWN_VIEWS) if who.kind == "agent" else None


def path_of(data: Path, *databases: str) -> str:
    """The path by which chDB opens its data behind the filters; they are written beside it. `databases`: that have our tables."""
    folder = data.resolve() / "door"
    folder.mkdir(parents=True, exist_ok=True)
    filters = "".join(f"<{table}><filter>{escape(text)}</filter></{table}>" for table, text in FILTERS.items())
    guarded = "".join(f"<{name}>{filters}</{name}>" for name in databases or (DATABASE,))
    (folder / "users.xml").write_text(_USERS.format(databases=guarded))
    (folder / "config.xml").write_text(f"<clickhouse><users_config>{escape(str(folder / 'users.xml'))}</users_config></clickhouse>\n")
    return f"{data.resolve()}?config-file={folder / 'config.xml'}"


_USERS = """<clickhouse>
<profiles><default/></profiles>
<quotas><default/></quotas>
<users><default>
<password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<databases>{databases}</databases>
</default></users>
</clickhouse>
"""
