"""What a statement from outside may use: an allow-list of functions, table functions and settings, since the engine's own rights do not
keep it from files and addresses (DESIGN.md, "Who sees what in ClickHouse")."""

import re
from typing import Any

KINDS = (
    "Aggregate Functions",
    "Arithmetic",
    "Arrays",
    "Bit",
    "Bitmap",
    "Comparison",
    "Conditional",
    "Dates and Times",
    "Distance",
    "Encoding",
    "Encryption",
    "Financial",
    "Geo",
    "Geo Polygon",
    "Hash",
    "IP Address",
    "JSON",
    "Logical",
    "Map",
    "Mathematical",
    "NULL",
    "Null",
    "Nullable",
    "Random Number",
    "Rounding",
    "String",
    "String Replacement",
    "String Search",
    "String Splitting",
    "Time Window",
    "Tuple",
    "Type Conversion",
    "URL",
    "UUID",
)
"""Categories of system.functions whose functions compute from their arguments and nothing else."""
OTHERS = """
bar blockNumber blockSize byteSize caseWithExpression currentDatabase currentUser defaultValueOfArgumentType defaultValueOfTypeName
dumpColumnStructure errorCodeToName finalizeAggregation formatQuery formatQuerySingleLine formatReadableDecimalSize
formatReadableQuantity formatReadableSize formatReadableTimeDelta getSetting getSizeOfEnumType getSubcolumn hasColumnInTable hostName
identity ignore initializeAggregation isConstant isDecimalOverflow lowCardinalityIndices lowCardinalityKeys materialize neighbor
normalizeQuery normalizedQueryHash parseReadableSize parseReadableSizeOrNull parseReadableSizeOrZero parseTimeDelta rowNumberInAllBlocks
rowNumberInBlock runningAccumulate runningDifference runningDifferenceStartingWithFirstValue throwIf toColumnTypeName toTypeName
transform uptime variantElement variantType version visibleWidth
"""
"""Functions of other categories, beside such as read files (`file`), wait (`sleep`) or tell of the server."""
SYNTAX = frozenset({"_cast", "exists", "grouping", "lambda", "untuple"})
"""What the parser makes of syntax and of parameters, in small letters."""
TABLES = frozenset({"generate_series", "generateseries", "null", "numbers", "numbers_mt", "primes", "values", "view", "zeros", "zeros_mt"})
"""Table functions, in small letters, that make rows of nothing but their arguments."""
_SETTINGS = re.compile(
    r"(cast|cross|date_time|distinct|format_csv|format_custom|format_tsv|group_by|join|max|min|optimize|output_format|prefer|query_plan|sort"
    r"|union|use_query)_(?!schema$)\w+"
    r"|aggregate_functions_null_for_empty|count_distinct_implementation|empty_result_for_aggregation_by_empty_set|extremes|final|limit|offset"
    r"|readonly|session_timezone|timeout_before_checking_execution_speed|timeout_overflow_mode|transform_null_in"
    r"|totals_mode|(read|result|set)_overflow_mode"
)
_COMBINATORS = "SELECT name FROM system.aggregate_function_combinators"
_FUNCTIONS = """SELECT name, is_aggregate FROM system.functions AS f
LEFT JOIN (SELECT name AS of, categories AS kinds FROM system.functions) AS a ON a.of = f.alias_to
WHERE has({kinds:Array(String)}, if(alias_to = '', categories, kinds)) OR has({others:Array(String)}, if(alias_to = '', name, alias_to))"""


class Functions:
    """The functions of an engine that may be used, by name, whatever their case."""

    def __init__(self, handle: Any) -> None:
        given = {"kinds": _array(KINDS), "others": _array(OTHERS.split())}
        rows = [line.split("\t") for line in str(handle.query(_FUNCTIONS, "TSV", params=given)).splitlines()]
        self._names = SYNTAX | TABLES | {name.lower() for name, _ in rows}
        self._aggregates = {name.lower() for name, aggregate in rows if aggregate == "1"}
        self._combinators = sorted((line.lower() for line in str(handle.query(_COMBINATORS, "TSV")).splitlines()), key=len, reverse=True)

    def __contains__(self, name: str) -> bool:
        """Whether it is one, or an aggregate function with combinators behind it (`sumIf`, `uniqMergeState`)."""
        name = name.lower()
        return name in self._names or self._combined(name)

    def _combined(self, name: str) -> bool:
        shorter = [name.removesuffix(c) for c in self._combinators if name.endswith(c)]
        return any(s in self._aggregates or self._combined(s) for s in shorter)


def setting(name: str) -> bool:
    """Whether a setting says how to compute or how to print; not where to read, what to write, or in which language."""
    return _SETTINGS.fullmatch(name) is not None


def _array(names: Any) -> str:
    return "[" + ",".join(f"'{name}'" for name in names) + "]"
