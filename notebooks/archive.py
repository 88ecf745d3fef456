# /// script
# requires-python = ">=3.11"
# dependencies = ["callbench[notebooks]"]
# ///
"""What is in an archive, what can be judged, what fails, and where to look first."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="charts.css", app_title="What is in this archive")

with app.setup:
    import urllib.parse

    import marimo as mo
    import polars as pl

    from workbench.analysis.default_archive import default_archive
    from workbench.analysis.filtered_view import filtered_view
    from workbench.analysis.held_calls import HeldCalls
    from workbench.analysis.opened import opened
    from workbench.analysis.timing_slices import SLICE_CHOICES
    from workbench.charts import call_counts, rates, response_gaps, theme
    from workbench.charts.shown import shown, table_of

    MOST_CALLS_AT_ONCE = 5000
    ASKED = {name: {} for name in ("calls_by_evidence", "denominators", "assertion_pass_rate", "worst_calls")}
    GAPS = {"gap_histogram": {"bin_s": 0.1, "most_bins": 80}, "response_gap_by_agent": {}}


@app.cell
def title():
    mo.md("""
    # What is in this archive

    Which calls are here, how many of them each question can be answered for, what fails, and which calls to hear
    first. Every table downloads as CSV and shows its SQL; run it with `workbench sql`.

    As a script: `python notebooks/archive.py --archive DIR` prints a summary.
    """)
    return


@app.cell
def params():
    archive_path = default_archive(str(mo.cli_args().get("archive") or ""), beside=mo.notebook_dir().parent)
    return (archive_path,)


@app.cell
def load(archive_path):
    archive = opened(archive_path)
    return (archive,)


@app.cell
def guard(archive, archive_path):
    call_count = archive.sql("select count(*) as n from calls").item()
    mo.stop(
        call_count == 0,
        mo.callout(
            mo.plain_text(
                f"{archive_path} holds no call yet.\nworkbench import FOLDER --archive {archive_path}\n"
                f"workbench measure --archive {archive_path}"
            ),
            kind="warn",
        ),
    )
    mo.plain_text(f"{archive_path} · snapshot {archive.snapshot} · {theme.plural(call_count, 'call')}")
    return (call_count,)


@app.cell
def filters(archive, call_count):
    held = HeldCalls(archive)
    chosen = mo.ui.dictionary(
        {
            column: mo.ui.dropdown(
                ["all", *values], value="all", label=column.replace("_", " "), searchable=len(values) > 30
            )
            for column, values in held.choices().items()
        }
    )
    mo.vstack(
        [
            mo.md(f"Everything below is about the calls chosen here, of {call_count:,}; intervals are computed anew."),
            mo.hstack(chosen.elements.values(), justify="start", gap=1.5, wrap=True),
        ]
    )
    return chosen, held


@app.cell
def narrowing(chosen, held):
    wanted = {column: None if value in (None, "all") else str(value) for column, value in chosen.value.items()}
    few = held.call_count(wanted) <= MOST_CALLS_AT_ONCE
    held.ahead(wanted, {**ASKED, **GAPS} if few else ASKED)

    def narrowed(name):
        """Return the rows of a view over the chosen calls, the SQL that gives the same, and its parameters."""
        _more = {**ASKED, **GAPS}.get(name, {})
        _sql, _params = filtered_view(name, wanted)
        return held.rows(name, wanted, **_more), _sql, {**_params, **_more}

    return few, narrowed


@app.cell
def contents(narrowed):
    evidence, _sql, _params = narrowed("calls_by_evidence")
    mo.stop(evidence.is_empty(), mo.callout(mo.plain_text("No call is left: choose less."), kind="warn"))
    with_audio = int(evidence["with_audio_count"].sum())
    mo.vstack(
        [
            mo.md(
                "## What is here\n\nLook for sources without audio or clock: their calls can answer questions about "
                "words, never about timing."
            ),
            mo.hstack(
                [
                    mo.stat(f"{int(evidence['call_count'].sum()):,}", label="calls"),
                    mo.stat(f"{with_audio:,}", label="with audio"),
                    mo.stat(f"{evidence['audio_s'].sum() / 3600:,.2f} h", label="of audio"),
                    mo.stat(f"{evidence['source_format'].n_unique():,}", label="sources"),
                ],
                justify="start",
                gap=2,
            ),
            mo.hstack(
                [
                    call_counts.chart(
                        evidence,
                        by="source_format",
                        parts="evidence_tier",
                        title="Calls by source and tier",
                        width=380,
                    ),
                    call_counts.chart(
                        evidence,
                        by="origin",
                        parts="health",
                        title="Calls by origin and audio health",
                        width=380,
                    ),
                ],
                wrap=True,
                justify="start",
                gap=2,
            ),
            mo.md(
                "Tier 1: two separate channels; 2: mono or text with attributed turns; 3: raw mono, only silence can "
                "be read; 4: refused."
            ),
            shown(evidence, _sql, "calls_by_evidence", params=_params),
        ]
    )
    return (evidence,)


@app.cell
def judgeable(evidence, narrowed):
    mo.stop(evidence.is_empty())
    denominators, _sql, _params = narrowed("denominators")
    _widths = {"metric": 200, "reason": 380, "not scorable": 100, "inconclusive": 100}
    _widths |= dict.fromkeys(["eligible", "scored", "error", "skipped", "refused"], 75)
    _narrow = denominators.rename(lambda name: name.removesuffix("_count").replace("_", " "))
    mo.vstack(
        [
            mo.md(
                "## What can be judged\n\nLook at `inconclusive` and `not scorable` before any rate: a metric that "
                "few calls can carry says little about the rest. Refused inputs are counted over all imports."
            ),
            shown(
                denominators,
                _sql,
                "denominators",
                params=_params,
                table=table_of(_narrow, page_size=16, widths=_widths),
            ),
        ]
    )
    return


@app.cell
def checks(evidence, narrowed):
    mo.stop(evidence.is_empty())
    pass_rates, _sql, _params = narrowed("assertion_pass_rate")
    _columns = ["assertion_id", "dimension", "severity", "pass_rate", "pass_rate_low", "pass_rate_high", "pass_count"]
    _columns += ["trial_count", "inconclusive_count", "not_scorable_count", "error_count", "finding_count", "reason"]
    mo.stop(pass_rates.is_empty(), mo.md("## What fails\n\nNothing is checked yet: `workbench assert` does that."))
    newest = pass_rates.filter(pass_rates["run_id"] == pass_rates["run_id"].max())
    mo.vstack(
        [
            mo.md(
                "## What fails\n\nLook for intervals whose upper end stays below what you can live with; with few "
                "calls they are wide, and a check without a dot was never judged. Newest run only; the CSV has all."
            ),
            rates.chart(newest),
            shown(
                pass_rates,
                _sql,
                "assertion_pass_rate",
                params=_params,
                table=table_of(newest.select(_columns)),
            ),
        ]
    )
    return (newest,)


@app.cell
def slice_choice():
    by_slice = mo.ui.dropdown({"all together": None, **SLICE_CHOICES}, value="all together", label="what fails, by")
    by_slice
    return (by_slice,)


@app.cell
def sliced_checks(by_slice, evidence, narrowed):
    mo.stop(evidence.is_empty() or by_slice.value is None)
    _rows, _sql, _params = narrowed("assertion_pass_rate_by_slice")
    _newest = _rows.filter((_rows["run_id"] == _rows["run_id"].max()) & (_rows["slice"] == by_slice.value))
    _columns = ["assertion_id", "part", "pass_rate", "pass_rate_low", "pass_rate_high", "pass_count", "trial_count"]
    _table = table_of(
        _newest.select(*_columns, "inconclusive_count", "not_scorable_count", "reason"),
        page_size=24,
        widths={"assertion_id": 180, "part": 100, "reason": 170},
    )
    mo.vstack(
        [
            mo.md(
                "Calls that differ in sound may differ in more. Not described: without sound, or the view "
                "`acoustic_slices` says why; `workbench acoustics` describes calls."
            ),
            shown(_rows, _sql, "assertion_pass_rate_by_slice", params=_params, table=_table),
        ]
    )
    return


@app.cell
def worst(evidence, narrowed):
    mo.stop(evidence.is_empty())
    worst_calls, _sql, _params = narrowed("worst_calls")
    worst_table = table_of(
        worst_calls.select(
            "rank", "call_id", "high_finding_count", "medium_finding_count", "worst_response_gap_s", "reason"
        ),
        selection="single",
        widths={"rank": 55, "call_id": 240, "reason": 340}
        | {"high_finding_count": 150, "medium_finding_count": 165, "worst_response_gap_s": 165},
    )
    mo.vstack(
        [
            mo.md(
                "## Which calls to hear first\n\nWorst first: high findings, medium findings, longest wait. Choose a row."
            ),
            shown(worst_calls, _sql, "worst_calls", params=_params, table=worst_table),
        ]
    )
    return worst_calls, worst_table


@app.cell
def next_step(archive_path, worst_calls, worst_table):
    _chosen = worst_calls.filter(worst_calls["rank"].is_in(worst_table.value["rank"].to_list()))
    mo.stop(_chosen.is_empty(), mo.plain_text("Choose a row to see how to open that call."))
    _call = _chosen["call_id"].item(0)
    mo.callout(mo.plain_text(how_to_open(_call, archive_path)), kind="info")
    return


@app.cell
def refused(archive):
    _sql = "from refusal_summary where scope <> 'note' order by refusal_count desc, run_id, rule"
    refusals = archive.sql(_sql)
    mo.vstack(
        [
            mo.md(
                "## What was refused\n\nOver all imports, whatever is chosen above. Look for a rule that refuses many: "
                "one option often mends them all."
            ),
            shown(
                refusals,
                _sql,
                "refusal_summary",
                table=table_of(refusals, widths={"message": 300, "hint": 300}),
            ),
        ]
    )
    return (refusals,)


@app.cell
def bootstrap():
    bootstrap_button = mo.ui.run_button(label="Compute response gaps with their intervals")
    return (bootstrap_button,)


@app.cell
def waiting(bootstrap_button, evidence, few, held, narrowed):
    mo.stop(evidence.is_empty())
    held.ready(*GAPS)
    mo.stop(
        not few and not bootstrap_button.value,
        mo.vstack(
            [
                mo.md("## How long callers wait\n\nMany calls are chosen: the bootstrap over them may take a minute."),
                bootstrap_button,
            ]
        ),
    )
    _gaps, _sql, _params = narrowed("gap_histogram")
    percentiles, _percentiles_sql, _percentiles_params = narrowed("response_gap_by_agent")
    _widths = {"agent_id": 150, "agent_version": 105, "clock": 85, "calls": 55, "answers": 70, "reason": 330}
    _widths |= {"p50 (s)": 65, "p50 interval (s)": 115, "p95 (s)": 65, "p95 interval (s)": 115}
    mo.vstack(
        [
            mo.md(
                "## How long callers wait\n\nLook at the tail, not at the median: a caller remembers the longest "
                "wait. Gaps of different clocks are not comparable. The last bin counts everything from 7.9 s; "
                "intervals are at 95 %."
            ),
            response_gaps.chart(_gaps, percentiles),
            shown(
                percentiles,
                _percentiles_sql,
                "response_gap_by_agent",
                params=_percentiles_params,
                table=table_of(
                    with_intervals(percentiles),
                    widths=_widths,
                ),
            ),
            shown(_gaps, _sql, "gap_histogram", params=_params, folded=True),
        ]
    )
    return (percentiles,)


@app.cell
def summary(archive, archive_path, call_count, evidence, newest, refusals, worst_calls):
    if mo.app_meta().mode == "script":
        print(f"{archive_path}: snapshot {archive.snapshot}, {theme.plural(call_count, 'call')}")
        print(
            f"{evidence['audio_s'].sum() / 3600:.2f} h of audio in {theme.plural(int(evidence['with_audio_count'].sum()), 'call')}"
        )
        for _row in newest.sort("assertion_id").iter_rows(named=True):
            print(
                f"{_row['assertion_id']}: {_row['pass_count']} of {theme.plural(_row['trial_count'], 'judged call')} pass{interval(_row)}"
            )
        print(f"refused: {int(refusals['refusal_count'].sum())}")
        for _row in worst_calls.head(3).iter_rows(named=True):
            print(f"{_row['rank']}. {_row['call_id']!r}: {_row['reason']}")
    return


@app.function
def interval(row):
    """Return the Wilson interval of a row of `assertion_pass_rate` as text; nothing where there is no rate."""
    from workbench.analysis import timing_shown

    return "" if row["pass_rate"] is None else timing_shown.interval(row)


@app.function
def with_intervals(percentiles):
    """Return median and 95th percentile of `response_gap_by_agent`, the two bounds of each in one column."""

    def bounds(low, high):
        ends = ["open" if end is None else f"{end:.2f}" for end in (low, high)]
        return "open" if ends == ["open", "open"] else " to ".join(ends)

    columns = [percentiles["agent_id"], percentiles["agent_version"], percentiles["clock"]]
    columns += [percentiles["call_count"].alias("calls"), percentiles["response_count"].alias("answers")]
    for p in ("p50", "p95"):
        both = zip(percentiles[f"gap_{p}_low_s"], percentiles[f"gap_{p}_high_s"], strict=True)
        interval_s = pl.Series(f"{p} interval (s)", [bounds(*pair) for pair in both], dtype=pl.String)
        columns += [percentiles[f"gap_{p}_lin_s"].alias(f"{p} (s)"), interval_s]
    return pl.DataFrame([*columns, percentiles["reason"]])


@app.function
def how_to_open(call_id, archive_path):
    """Return the command that opens the call notebook on a call, and the address where it is served."""
    import shlex

    command = f"workbench notebook call --call {shlex.quote(call_id)} --archive {shlex.quote(str(archive_path))}"
    return f"{command}\nWhere the call notebook is open already, add to its address: ?call={urllib.parse.quote(call_id, safe='')}"


if __name__ == "__main__":
    app.run()
