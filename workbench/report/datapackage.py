"""`datapackage.json` (Frictionless Data Package 1.0): files, types, digests; and reading an export back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import ExportFailed, UsageError
from workbench.report.codebook import HEAD, Sheet
from workbench.small_file import read_json

if TYPE_CHECKING:
    import polars as pl

NAME = "datapackage.json"
_PLAIN = {
    "VARCHAR": "string",
    "JSON": "string",
    "BOOLEAN": "boolean",
    "DOUBLE": "number",
    "FLOAT": "number",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
}
_WHOLE = {
    "TINYINT": "Int8",
    "SMALLINT": "Int16",
    "INTEGER": "Int32",
    "BIGINT": "Int64",
    "UTINYINT": "UInt8",
    "USMALLINT": "UInt16",
    "UINTEGER": "UInt32",
    "UBIGINT": "UInt64",
}
_CODEBOOK = {"key": "boolean"}


def document(
    folder: Path, sheets: Mapping[str, Sheet], *, form: str, snapshot: int, version: str, comments: bool = False
) -> dict[str, Any]:
    """Describe the files of an export.

    Parameters
    ----------
    folder : pathlib.Path
        Where they lie.
    sheets : mapping of str to Sheet
        What each file holds, by path within the folder.
    form : {'csv', 'parquet'}
        Their format.
    snapshot : int
        Snapshot of the archive they were read from.
    version : str
        Version of the workbench.
    comments : bool
        Whether the CSV files begin with lines of comments.

    Returns
    -------
    dict
        The package; only bytes and text that are the same for the same archive, no clock.
    """
    tables = {sheet.name for sheet in sheets.values()}
    resources = [_resource(folder, path, sheet, form=form, tables=tables) for path, sheet in sheets.items()]
    for resource in resources if comments else []:
        resource["dialect"]["commentChar"] = "#"
    fields = [{"name": name, "type": _CODEBOOK.get(name, "string")} for name in HEAD]
    codebook = _file(folder, "codebook.csv", "codebook", form="csv") | {
        "description": "One row per table and column.",
        "schema": {"fields": fields, "missingValues": [""], "primaryKey": ["table", "column"]},
    }
    return {
        "profile": "tabular-data-package" if form == "csv" else "data-package",
        "name": "workbench-export",
        "description": "Calls of voice agents: rows of an archive, one file a table, view or query.",
        "workbench": {"version": version, "snapshot": snapshot, "format": form},
        "resources": [*resources, codebook],
    }


def _file(folder: Path, path: str, name: str, *, form: str) -> dict[str, Any]:
    from workbench.archive.media import sha256_of

    tabular = form == "csv"
    kind: dict[str, Any] = {"profile": "tabular-data-resource"} if tabular else {"profile": "data-resource"}
    kind |= {"name": name, "path": path, "format": form}
    kind |= {"mediatype": "text/csv" if tabular else "application/vnd.apache.parquet"}
    if tabular:
        kind |= {
            "encoding": "utf-8",
            "dialect": {"delimiter": ",", "lineTerminator": "\n", "doubleQuote": True},
        }
    size = (folder / path).stat().st_size
    return kind | {"bytes": size, "hash": "sha256:" + sha256_of(folder / path)}


def _resource(folder: Path, path: str, sheet: Sheet, *, form: str, tables: set[str]) -> dict[str, Any]:
    fields = []
    for column in sheet.columns:
        field: dict[str, Any] = {"name": column.name, "type": _type(column.type)}
        if field["type"] == "datetime":
            field["format"] = "any"
        field |= {"description": column.description} if column.description and sheet.sql is None else {}
        field |= {"constraints": {"required": True}} if column.key and sheet.kind == "table" else {}
        field |= {"unit": column.unit} if column.unit else {}
        field |= {"emptyMeans": column.empty_means} if column.empty_means else {}
        fields.append(field | {"sqlType": column.type})
    schema: dict[str, Any] = {"fields": fields, "missingValues": [""]}
    if sheet.key:
        schema["primaryKey"] = list(sheet.key)
    if "call_id" in {c.name for c in sheet.columns} and "calls" in tables and sheet.name != "calls" and not sheet.sql:
        schema["foreignKeys"] = [{"fields": ["call_id"], "reference": {"resource": "calls", "fields": ["call_id"]}}]
    about: dict[str, Any] = {"description": sheet.grain, "kind": sheet.kind}
    if sheet.sql is not None:
        about |= {"query": sheet.sql, "parameters": dict(sheet.params)}
    return _file(folder, path, sheet.name, form=form) | about | {"schema": schema}


def _type(sql: str) -> str:
    if sql in _PLAIN:
        return _PLAIN[sql]
    if sql in _WHOLE or sql == "HUGEINT":
        return "integer"
    if sql.startswith("DECIMAL("):
        return "number"
    if sql.endswith("[]"):
        return "array"
    return "object" if sql.startswith(("MAP(", "STRUCT(")) else "string"


def read_back(folder: str | Path, name: str) -> pl.DataFrame:
    """Read a table of an export as the archive gave it.

    Parameters
    ----------
    folder : str or pathlib.Path
        An export in CSV or Parquet.
    name : str
        A table, view or query of it.

    Returns
    -------
    polars.DataFrame
        With the archive's types; text where polars has none of its own (JSON, nested types).

    Raises
    ------
    ExportFailed
        When the folder is no export, or the file is not the one that was written.
    UsageError
        When the export does not hold that table.
    """
    import polars as pl

    from workbench.archive.media import sha256_of

    folder = Path(folder)
    try:
        package = read_json(folder / NAME, max_bytes=None)
    except UsageError as error:
        hint = "name a folder that workbench export wrote"
        raise ExportFailed(
            f"the description of the export cannot be read ({error.what})", where=str(folder), hint=hint
        ) from error
    resources = {resource["name"]: resource for resource in package["resources"]}
    if name not in resources:
        raise UsageError(f"the export holds no {name!r}", where=str(folder), hint=f"one of: {', '.join(resources)}")
    resource = resources[name]
    path = folder / resource["path"]
    if not path.is_file() or "sha256:" + sha256_of(path) != resource["hash"]:
        raise ExportFailed("the file is missing or has changed", where=str(path), hint="export again")
    if resource["format"] == "parquet":
        return pl.read_parquet(path)
    frame = pl.read_csv(path, infer_schema=False, comment_prefix=resource["dialect"].get("commentChar"))
    return frame.select(
        _typed(field["name"], field.get("sqlType", "VARCHAR")) for field in resource["schema"]["fields"]
    )


def _typed(name: str, sql: str) -> pl.Expr:
    import polars as pl

    column = pl.col(name)
    if sql in _WHOLE:
        return column.cast(getattr(pl, _WHOLE[sql]))
    if sql in {"DOUBLE", "FLOAT"}:
        return column.cast(pl.Float64 if sql == "DOUBLE" else pl.Float32)
    if sql == "BOOLEAN":
        return column == "true"
    if sql == "DATE":
        return column.cast(pl.Date)
    if sql.startswith("TIMESTAMP"):
        zone = "UTC" if sql.endswith("ZONE") else None
        form = "%Y-%m-%dT%H:%M:%S%.f" + ("Z" if zone else "")
        return column.str.to_datetime(form, time_unit="us", time_zone=zone)
    if sql == "HUGEINT" or sql.startswith("DECIMAL("):
        precision, scale = (38, 0) if sql == "HUGEINT" else (int(part) for part in sql[8:-1].split(","))
        return column.cast(pl.Decimal(precision, scale))
    if sql == "VARCHAR[]":
        return column.str.json_decode(pl.List(pl.String))
    if sql == "MAP(VARCHAR, VARCHAR)":
        pairs = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
        return column.map_elements(_pairs, return_dtype=pairs).cast(pl.Map(pl.String, pl.String))
    return column


def _pairs(text: str) -> Sequence[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in json.loads(text).items()]
