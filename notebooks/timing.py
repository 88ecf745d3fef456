# /// script
# requires-python = ">=3.11"
# dependencies = ["callbench[notebooks]"]
# ///
"""How soon agents yield and answer, how sure that is, and which verdicts hang on a threshold."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="charts.css", app_title="Timing: who yields, how soon, how sure")

with app.setup:
    import marimo as mo
    import polars as pl

    from workbench.analysis.default_archive import default_archive
    from workbench.analysis.heard_alone import heard_alone, of_audio
    from workbench.analysis.opened import opened
    from workbench.analysis.robustness_archive import of_archive
    from workbench.analysis.robustness_shares import by_group, groups_of
    from workbench.analysis.robustness_shares import shares as shares_that_hold
    from workbench.analysis.timing_counts import four_cells, not_heard, rates, unit_said
    from workbench.analysis.timing_held import HeldMoments
    from workbench.analysis.timing_printed import printed
    from workbench.analysis.timing_shown import (
        MOMENTS,
        WIDTHS,
        as_cells,
        as_moments,
        as_shares,
        several_labels,
        tested,
        ticks,
        with_intervals,
    )
    from workbench.analysis.timing_slices import CHOICES, SLICES
    from workbench.analysis.timing_spread import GAPS as ALL_GAPS
    from workbench.analysis.timing_spread import gap_bins, spread, talk_over_shares
    from workbench.analysis.timing_survival import at_risk, compared, curves, summaries, times_to
    from workbench.analysis.timing_sweep import sweep
    from workbench.analysis.timing_tuned import AXES, SLIDERS, axis, tuned
    from workbench.analysis.timing_words import as_agreement, in_words
    from workbench.analysis.unchanged import Unchanged
    from workbench.charts import robustness, survival, theme, timing_moments, timing_spread
    from workbench.charts.shown import shown, table_of

    MOST_MOMENTS_UNASKED = 500
    LABELS = "from standing_labels where kind = 'expectation' order by call_id, label_id"
    EVENTS = "from timing_events where config_id = $config order by call_id, label_id"
    YIELDS = (
        "select call_id, yield_observed_s, yield_censored from timing_events where awaits_yield and config_id = $config"
    )
    ANSWERS = "select call_id, response_observed_s, response_censored from timing_events where awaits_response and config_id = $config"
    AGREEMENT = "from label_agreement order by trial_count desc, author, other_author"
    GAPS, BY_AGENT, SHARES = heard_alone(ALL_GAPS), of_audio("response_gap_by_agent"), of_audio("talk_over_share")


@app.cell
def title():
    mo.md("""
    # Timing: who yields, how soon, how sure

    Every number is measured from the sound; every verdict rests on a moment that is labelled yield or hold.
    Move a slider and all verdicts are derived anew, from stored runs and levels, without the sound.

    As a script: `python notebooks/timing.py --archive DIR` prints a summary.
    """)
    return


@app.cell
def params():
    archive_path = default_archive(str(mo.cli_args().get("archive") or ""), beside=mo.notebook_dir().parent)
    return (archive_path,)


@app.cell
def load(archive_path):
    archive = opened(archive_path)
    held, last = HeldMoments(archive), Unchanged()
    mo.plain_text(
        f"{archive_path} · snapshot {archive.snapshot} · {theme.plural(len(held.labels), 'labelled moment')} with "
        f"{theme.plural(held.label_count, 'label')} in {theme.plural(len(held.call_ids), 'call')}"
    )
    return archive, held, last


@app.cell
def parts():
    parted = mo.ui.dropdown(CHOICES, value="all together", label="curves, spread and talk-over by")
    return (parted,)


@app.cell
def controls(archive_path, held, parted):
    sliders = mo.ui.dictionary(
        {
            name: mo.ui.slider(
                steps=axis(held, name)[0],
                value=axis(held, name)[1],
                label=SLIDERS[name],
                show_value=True,
                full_width=True,
            )
            for name in AXES
        }
    )
    bounds = mo.ui.switch(label="these bounds replace those of the labels")
    mo.stop(
        not held.labels,
        mo.callout(
            mo.plain_text(
                "No moment is labelled yet, so nothing can be judged; what needs no label stands below.\n"
                f"workbench label CALL --at SECONDS --expect yield --archive {archive_path}"
            ),
            kind="warn",
        ),
    )
    _six = sliders.elements
    mo.vstack(
        [
            mo.md("## What if"),
            mo.hstack([_six["rel_db"], _six["hangover_s"]], widths="equal", gap=3),
            mo.hstack([_six["yield_hangover_s"], _six["max_search_s"]], widths="equal", gap=3),
            mo.hstack([_six["max_time_to_yield_s"], _six["max_talk_over_s"]], widths="equal", gap=3),
            mo.hstack([bounds, parted], justify="start", gap=3),
        ]
    )
    return bounds, sliders


@app.cell
def derived(bounds, held, parted, sliders):
    _replaced = ("max_time_to_yield_s", "max_talk_over_s") if bounds.value else ()
    now = tuned(held, {name: float(value) for name, value in sliders.value.items()}, replaced=_replaced)
    by = None if parted.value not in now.events.columns else parted.value
    not_scorable = now.events.filter(pl.col("status").is_in(["NOT_SCORABLE", "INCONCLUSIVE"]))
    at = {"config": now.config_id}
    return at, by, not_scorable, now


@app.cell
def verdicts(at, not_scorable, now):
    _counts = {row["status"]: row["len"] for row in now.events.group_by("status").len().to_dicts()}
    _near = int(now.events["boundary_sensitive"].sum())
    _columns = ["call_id", "onset_s", "expect", "status", "reason", "ended", "talk_over_s", "response_gap_s"]
    _columns += ["decision_margin_s", "mark"]
    _order = now.events.sort(
        ~pl.col("flipped"), pl.col("boundary_sensitive").not_().fill_null(value=True), maintain_order=True
    )
    _table = in_words(as_moments(_order).select(_columns))
    mo.vstack(
        [
            mo.md(
                "## Verdicts\n\nLook for moments that flip (violet) or stand within a hop of a bound (amber): their "
                "verdict is the threshold's as much as the agent's. Compared with what was measured, scored by the published method."
            ),
            mo.hstack(
                [
                    mo.stat(f"{_counts.get('PASS', 0):,}", label="PASS"),
                    mo.stat(f"{_counts.get('FAIL', 0):,}", label="FAIL"),
                    mo.stat(f"{len(not_scorable):,}", label="not judged"),
                    mo.stat(f"{now.flip_count:,}", label="flipped"),
                    mo.stat(f"{_near:,}", label="next to a bound"),
                ],
                justify="start",
                gap=2,
                wrap=True,
            ),
            timing_moments.chart(now.events),
            mo.md(f"The same rows as SQL, after `{now.how}`:"),
            shown(now.events, EVENTS, "timing_events", params=at, table=table_of(_table, widths=MOMENTS)),
        ]
    )
    return


@app.cell
def cells(at, now):
    _four = four_cells(now.events).join(rates(now.events), on="expect", how="left", maintain_order="left")
    mo.vstack(
        [
            mo.md(
                "## What was expected, what the agent did\n\nTwo faults that are never added up: to talk on, and to stop "
                f"for nothing. Not judged stays in sight. {unit_said(_four.to_dicts())}"
            ),
            shown(_four, EVENTS, "four_cells", params=at, table=table_of(as_cells(_four), widths=WIDTHS)),
        ]
    )
    return


@app.cell
def yields(at, by, held, last, now):
    yield_summaries, *_waits = waits("yield", now.events, by=by, sql=YIELDS, at=at, held=held, last=last)
    _head = mo.md(
        "## Time to yield\n\nOf moments labelled yield in which the agent was speaking. An agent that never "
        "stopped is censored and stays; the mean of the finished leaves them out, and flatters."
    )
    mo.vstack([_head, *_waits])
    return (yield_summaries,)


@app.cell
def answers(at, by, held, last, now):
    _head = mo.md(
        "## Time to respond\n\nFrom the end of the caller's turn to the agent's answer, of all judged moments; "
        "censored where the recording ended first."
    )
    _words = {"title": "Time to respond", "awaited": "no answer yet", "since": "the end of the caller's turn"}
    _, *_waits = waits("respond", now.events, by=by, sql=ANSWERS, at=at, held=held, last=last, **_words)
    mo.vstack([_head, *_waits])
    return


@app.cell
def answered(archive):
    gaps = archive.sql(GAPS)
    return (gaps,)


@app.cell
def binned(gaps, parted):
    gaps_binned = gap_bins(gaps, by=parted.value)
    return (gaps_binned,)


@app.cell
def spreads(by, gaps_binned, last, now):
    _binned = spread(now.events, gaps_binned, by=by)
    _left = not_heard(now.events, "awaits_yield", "awaits_response")
    mo.vstack(
        [
            mo.md(
                "## How long things took\n\nResponse gaps are of all calls with a clock of sound and need no label; the "
                "other two are of the labelled moments. Look at the tails."
            ),
            last("spread", _binned, _left, make=lambda: timing_spread.chart(_binned, not_judged=_left)),
        ]
    )
    return


@app.cell
def gap_tables(archive, gaps):
    _agents = archive.sql(BY_AGENT)
    mo.vstack(
        [
            shown(
                _agents,
                BY_AGENT,
                "response_gap_by_agent",
                table=table_of(with_intervals(_agents, ["p50", "p90", "p95"], prefix="gap_"), widths=WIDTHS),
            ),
            shown(gaps, GAPS, "response_gaps", folded=True),
        ],
        gap=0.5,
    )
    return


@app.cell
def shares(archive, parted):
    _calls = archive.sql(SHARES)
    _by = parted.value if parted.value in _calls.columns else "source_format"
    talk_over = talk_over_shares(_calls, by=_by)
    mo.vstack(
        [
            mo.md(
                "## How much was talk-over\n\nSeconds in which both spoke per second of the callers' speech: a ratio of "
                "sums over calls, with the linearised interval and that of a bootstrap of calls beside it. No label is needed."
            ),
            shown(talk_over, SHARES, "talk_over_share", table=table_of(as_shares(talk_over), widths=WIDTHS)),
        ]
    )
    return (talk_over,)


@app.cell
def asked():
    sweep_button = mo.ui.run_button(label="Sweep every parameter over all moments")
    worse_button = mo.ui.run_button(label="Make the recordings worse, step by step")
    return sweep_button, worse_button


@app.cell
def swept(held, sweep_button):
    mo.stop(not held.labels)
    held.ready()
    mo.stop(
        len(held.labels) > MOST_MOMENTS_UNASKED and not sweep_button.value,
        mo.vstack(
            [mo.md("## Where verdicts flip\n\nMany moments are labelled: this may take a minute."), sweep_button]
        ),
    )
    _names = ["rel_db", "hangover_s", "yield_hangover_s", "max_time_to_yield_s", "max_talk_over_s"]
    flips = pl.concat([sweep(held, {name: axis(held, name)[0]}).flips for name in _names])
    mo.vstack(
        [
            mo.md(
                "## Where verdicts flip\n\nOne parameter at a time over its whole slider, the others as at the start: the "
                "nearest value on each side at which a verdict is another one. A moment without a row never flips. Levels "
                "are stored in hundredths of a dB; input health stays as measured."
            ),
            shown(
                flips,
                LABELS,
                "verdict_flips",
                table=table_of(in_words(flips.drop("label_id")), page_size=16, widths=MOMENTS),
            ),
        ]
    )
    return (flips,)


@app.cell
def worse(archive, held, parted, worse_button):
    _head = mo.md(
        "## How much worse a recording may get\n\nNoise, gain, clipping, telephone lines, lost packets, leakage: how many "
        "verdicts hold, are withheld, or are another one. Withheld is honest, another one is wrong. Measured as the archive was, scored as published."
    )
    mo.stop(not held.labels)
    mo.stop(
        not worse_button.value,
        mo.vstack([_head, mo.md("This listens to the sound anew: some seconds a labelled call."), worse_button]),
    )
    _curves, _left_out = of_archive(archive)
    _by = parted.value if parted.value in SLICES else None
    _found = shares_that_hold(_curves, groups=groups_of(archive, _by) if _by else None)
    _charts = [robustness.chart(_rows, left_out=len(_left_out), **_named) for _rows, _named in by_group(_found)]
    _how = mo.md("The same rows: `workbench robustness --json`; their moments as SQL:")
    mo.vstack([_head, *_charts, _how, shown(_found, LABELS, "robustness", folded=True)])
    return


@app.cell
def agreement(archive, held):
    _pairs = archive.sql(AGREEMENT)
    _table = shown(_pairs, AGREEMENT, "label_agreement", table=table_of(as_agreement(_pairs), widths=WIDTHS))
    mo.vstack(
        [
            mo.md(f"## Do labels of one moment say the same?\n\n{several_labels(held.default)}"),
            _table if len(_pairs) else mo.plain_text("No two authors labelled one moment."),
        ]
    )
    return


@app.cell
def unusable(held):
    _rows = held.default.filter(pl.col("status").is_in(["NOT_SCORABLE", "INCONCLUSIVE"]))
    _reasons = _rows.group_by("status", "reason").agg(
        moment_count=pl.len(), call_count=pl.col("call_id").n_unique(), first_call=pl.col("call_id").min()
    )
    _sql = "from timing_events where status not in ('PASS', 'FAIL') order by call_id, label_id"
    mo.vstack(
        [
            mo.md("## What could not be judged\n\nAnd why. It counts neither as passed nor as failed."),
            shown(_rows, _sql, "not_judged", table=table_of(in_words(_reasons.sort("status", "reason")))),
        ]
        if len(_rows)
        else [mo.md("## What could not be judged\n\nEvery labelled moment could be judged.")]
    )
    return


@app.cell
def summary(archive, archive_path, flips, now, talk_over, yield_summaries):
    if mo.app_meta().mode == "script":
        print(f"{archive_path}: snapshot {archive.snapshot}, {theme.plural(len(now.events), 'labelled moment')}")
        print("\n".join(printed(rates(now.events), yield_summaries, talk_over=talk_over, flips=flips)))
    return


@app.function
def waits(kind, events, *, by, sql, at, held, last, **words):
    """Return summaries, curves, test and table of the times until the agent yields or responds."""
    times = times_to(kind, events, by=by)
    left = not_heard(events, {"yield": "awaits_yield", "respond": "awaits_response"}[kind])

    def made():
        found = summaries(times)
        risk = at_risk(times, ticks_s=ticks(times))
        curve = survival.chart(curves(times), found, risk, times=times, not_judged=left, **words)
        return found, curve, tested(compared(times), ruler_count=len(held.rulers(events)))

    found, curve, test = last(kind, times, left, make=made)
    table = table_of(with_intervals(found), widths=WIDTHS)
    return [found, curve, mo.md(test), shown(found, sql, f"time_to_{kind}", params=at, table=table)]


if __name__ == "__main__":
    app.run()
