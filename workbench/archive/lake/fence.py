"""What a query from outside may name: the archive's tables and views, and functions that make rows from nothing.

DuckDB's own settings keep its file readers out of other folders. Functions of extensions open files by
themselves and ask no setting, so table functions are allowed by name, wherever in the query they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.errors import QueryRefused

FUNCTIONS = frozenset(
    "range generate_series generate_subscripts unnest repeat json_each json_tree snapshots "
    "duckdb_columns duckdb_tables duckdb_views duckdb_functions pragma_table_info".split()
)
CATALOGUES = frozenset(("", "lake", "memory", "system", "temp"))


def check(serialized: dict[str, Any]) -> None:
    """Refuse a query that names something else.

    Parameters
    ----------
    serialized : dict
        The query as DuckDB's `json_serialize_sql` gives it.

    Raises
    ------
    QueryRefused
        With the name that was found.
    """
    if serialized.get("error"):
        raise QueryRefused(
            "only a SELECT is allowed",
            where="query",
            hint="SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE and SHOW are; EXPLAIN, PIVOT and PRAGMA are not",
        )
    for node in _nodes(serialized):
        if node.get("type") == "TABLE_FUNCTION":
            name = node["function"]["function_name"]
            if name not in FUNCTIONS:
                raise QueryRefused(
                    f"the table function {name!r} is not allowed",
                    where="query",
                    hint="queries read the archive only; import a file to query it",
                )
        elif node.get("type") == "BASE_TABLE":
            place = (node.get("catalog_name") or "").lower()  # DuckDB's names ignore case
            schema = (node.get("schema_name") or "").lower()
            if place not in CATALOGUES or schema.startswith("__ducklake"):
                raise QueryRefused(
                    f"{place or schema!r} is not part of what can be queried",
                    where="query",
                    hint="workbench tables lists tables and views",
                )


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON value, however deep, without recursion."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, dict):
            yield item
            left.extend(item.values())
        elif isinstance(item, list):
            left.extend(item)
