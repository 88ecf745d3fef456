"""How a check says what it found: one frame of results per assertion.

**Conventions.** ``evaluate`` gives the columns of :data:`RESULT`. Each call has at least one row: a FAIL row
per finding, or exactly one row PASS, INCONCLUSIVE (evidence missing), NOT_SCORABLE (unusable input) or
SKIPPED (the rule does not apply). `run_pack` numbers the rows and adds what the definition says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from workbench.schema.assertion_results import AssertionResults

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition

_NAMES = (
    "call_id",
    "status",
    "severity",
    "failure_code",
    "turn_ix",
    "start_s",
    "end_s",
    "observed",
    "expected",
)
RESULT = {name: AssertionResults.polars()[name] for name in (*_NAMES, "evidence", "message")}


def as_json(**fields: pl.Expr) -> pl.Expr:
    """Return the fields of each row as one JSON object; a null field is null.

    Parameters
    ----------
    **fields : polars.Expr
        Values by name, in the order given.

    Returns
    -------
    polars.Expr
        Text.
    """
    return pl.struct([value.alias(name) for name, value in fields.items()]).struct.json_encode()


def milliseconds(seconds: pl.Expr | float) -> pl.Expr:
    """Return seconds as whole milliseconds, so that 2.0 - 1.7 is not more than 0.3."""
    expression = pl.lit(seconds) if isinstance(seconds, int | float) else seconds
    return (expression * 1000).round().cast(pl.Int64)


def in_seconds(whole: pl.Expr) -> pl.Expr:
    """Return whole milliseconds as seconds, without binary noise behind the third decimal."""
    return (whole / 1000).round(3)


def plural(count: str, *, one: str, many: str) -> pl.Expr:
    """Return a sentence for each count in a column.

    Parameters
    ----------
    count : str
        Column of whole numbers.
    one : str
        The sentence for 1.
    many : str
        The sentence for any other number, which takes the place of ``{}``.

    Returns
    -------
    polars.Expr
        Text.
    """
    return pl.when(pl.col(count) == 1).then(pl.lit(one)).otherwise(pl.format(many, count))


def severity(definition: Definition, magnitude: pl.Expr | None = None) -> pl.Expr:
    """Return the severity of each finding: the definition's, or that of the highest step exceeded.

    Parameters
    ----------
    definition : Definition
        With its escalations.
    magnitude : polars.Expr, optional
        What escalations compare with, in the kind's unit; compared to three decimals.

    Returns
    -------
    polars.Expr
        Text.
    """
    chosen = pl.lit(definition.severity)
    if magnitude is not None:
        for step in sorted(definition.escalations, key=lambda step: step.above):
            above = milliseconds(magnitude) > milliseconds(step.above)
            chosen = pl.when(above).then(pl.lit(step.severity)).otherwise(chosen)
    return chosen


def findings(
    frame: pl.DataFrame,
    definition: Definition,
    *,
    message: pl.Expr,
    observed: pl.Expr,
    expected: pl.Expr,
    evidence: pl.Expr,
    magnitude: pl.Expr | None = None,
    code: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return FAIL rows, one for each row of a frame.

    Parameters
    ----------
    frame : polars.DataFrame
        With ``call_id``, and ``turn_ix``, ``start_s``, ``end_s`` where they are known.
    definition : Definition
        Gives severity and, where `code` does not, the failure code.
    message, observed, expected, evidence : polars.Expr
        The sentence, and three JSON texts.
    magnitude : polars.Expr, optional
        What escalations compare with.
    code : polars.Expr, optional
        Failure codes, where a kind has several; else the kind is the code.

    Returns
    -------
    polars.DataFrame
        The columns of `RESULT`; no rows for no rows.
    """
    return _result(
        frame,
        status=pl.lit("FAIL"),
        severity=severity(definition, magnitude),
        failure_code=pl.lit(definition.kind) if code is None else code,
        message=message,
        observed=observed,
        expected=expected,
        evidence=evidence,
    )


def otherwise(
    frame: pl.DataFrame,
    *,
    reasons: list[tuple[pl.Expr, str, pl.Expr | str]],
    passed: pl.Expr | str,
    observed: pl.Expr,
    evidence: pl.Expr,
) -> pl.DataFrame:
    """Return the row each call gets when nothing of it failed.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per call.
    reasons : list of (condition, status, message)
        The first that holds decides; a condition that is null does not hold.
    passed : polars.Expr or str
        The message of PASS.
    observed, evidence : polars.Expr
        JSON texts: what was counted, and what it rests on.

    Returns
    -------
    polars.DataFrame
        The columns of `RESULT`, one row per call.
    """
    status = pl.lit("PASS")
    message = _text(passed)
    for condition, name, text in reversed(reasons):
        holds = condition.fill_null(value=False)
        status = pl.when(holds).then(pl.lit(name)).otherwise(status)
        message = pl.when(holds).then(_text(text)).otherwise(message)
    bare = frame.drop("turn_ix", "start_s", "end_s", strict=False)
    return _result(bare, status=status, message=message, observed=observed, evidence=evidence)


def conclude(failed: pl.DataFrame, unfailed: pl.DataFrame) -> pl.DataFrame:
    """Return the findings, and for each call without one its other row.

    Parameters
    ----------
    failed, unfailed : polars.DataFrame
        From `findings` and `otherwise`.

    Returns
    -------
    polars.DataFrame
        The columns of `RESULT`.
    """
    return pl.concat([failed, unfailed.join(failed, on="call_id", how="anti")])


def _text(value: pl.Expr | str) -> pl.Expr:
    return pl.lit(value) if isinstance(value, str) else value


def _result(frame: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    given = {name: pl.col(name) for name in RESULT if name in frame.columns} | columns
    return frame.select(given.get(name, pl.lit(None)).cast(dtype).alias(name) for name, dtype in RESULT.items())
