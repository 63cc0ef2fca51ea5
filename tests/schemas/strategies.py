"""Any value that a schema allows, as Hypothesis draws it."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from schemas import records

_TIMES = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=st.just(UTC)).map(  # noqa: DTZ001 - Hypothesis wants them naive
    lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000)
)
_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "bytes": st.binary(),
}


def values(tree: Any, *, plain: bool = False) -> st.SearchStrategy[Any]:
    """As our records hold them, or `plain`: as fastavro takes them."""
    if isinstance(tree, list):
        return st.none() | values(tree[1], plain=plain)
    if isinstance(tree, str):
        return _SCALARS[tree]
    match tree["type"]:
        case "record":
            parts = {field["name"]: values(field["type"], plain=plain) for field in tree["fields"]}
            return st.fixed_dictionaries(parts) if plain else st.builds(getattr(records, tree["name"]), **parts)
        case "array":
            return st.lists(values(tree["items"], plain=plain), max_size=3).map(list if plain else tuple)
        case "map":
            return st.dictionaries(st.text(), st.text(), max_size=3)
    return _TIMES
