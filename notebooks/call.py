# /// script
# requires-python = ">=3.11"
# dependencies = ["callbench[notebooks]"]
# ///
"""One call: two lanes of level and speech, what was said and heard, tool calls, findings, and the sound of each."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="full", css_file="charts.css", html_head_file="one_sound.html", app_title="One call, seen and heard"
)

with app.setup:
    import os

    import marimo as mo

    from workbench.analysis.call_audio import LONGEST_S, stretch
    from workbench.analysis.call_facts import call_facts, verdict
    from workbench.analysis.call_spectrogram import call_spectrogram
    from workbench.analysis.call_timeline import QUERIES, call_timeline
    from workbench.analysis.clocks import QUERIES as CLOCKS
    from workbench.analysis.clocks import two_clocks
    from workbench.analysis.default_archive import default_archive
    from workbench.analysis.opened import opened
    from workbench.analysis.playable import finding_stretch, opening_stretch, turn_stretch, within
    from workbench.analysis.tried import tried
    from workbench.analysis.turn_texts import as_html, compared, turn_texts
    from workbench.charts import call_lanes, mel, theme
    from workbench.charts import two_clocks as clocks_chart
    from workbench.charts.pairs import pairs
    from workbench.charts.shown import shown, table_of

    REPORTED = {"turn_ix": 70, "measured_at": 100, "reported_ms": 100, "gap_ms": 85, "difference_ms": 110}
    REPORTED |= {"residual_ms": 100, "fault": 290, "reason": 170}


@app.cell
def title():
    mo.md("""
    # One call, seen and heard

    Who spoke when, what the agent heard, what it did, and what was found, on one time axis. Choose a turn or a
    finding, or drag a stretch, and hear exactly that: the caller on the left, the agent on the right.

    As a script: `python notebooks/call.py --archive DIR` prints the worst call.
    """)
    return


@app.cell
def params():
    archive_path = default_archive(str(mo.cli_args().get("archive") or ""), beside=mo.notebook_dir().parent)
    asked = mo.query_params().get("call") or os.environ.get("WORKBENCH_CALL") or mo.cli_args().get("call")
    return archive_path, asked


@app.cell
def load(archive_path):
    archive = opened(archive_path)
    return (archive,)


@app.cell
def picker(archive, archive_path, asked):
    _asked = str(asked) if asked is not None else ""
    _known = archive.sql("select call_id from calls where call_id = $call", {"call": _asked})["call_id"].to_list()
    _ranked = "from worst_calls join call_overview using (call_id) order by rank limit 1000"
    _worst = archive.sql(f"select call_id, reason, has_audio {_ranked}")
    _count = archive.sql("select count(*) from calls").item()
    _first = _worst.sort("has_audio", descending=True, maintain_order=True)
    mo.stop(
        _worst.is_empty(),
        mo.callout(
            mo.plain_text(f"{archive_path} holds no call yet.\nworkbench import FOLDER --archive {archive_path}"),
            kind="warn",
        ),
    )
    _ids = sorted({*_worst["call_id"], *_known})
    call_picker = mo.ui.dropdown(
        {labelled(_id): _id for _id in _ids},
        value=labelled(_known[0] if _known else _first["call_id"].item(0)),
        label="call",
        searchable=True,
    )
    _missing = bool(_asked) and not _known
    mo.vstack(
        [
            mo.hstack(
                [
                    call_picker,
                    mo.plain_text(f"{archive_path} · snapshot {archive.snapshot} · {offered(len(_ids), _count)}"),
                ],
                justify="start",
                align="center",
                gap=2,
            ),
            mo.callout(
                mo.plain_text("The call that was asked for is not in this archive; this is the worst one with sound."),
                kind="warn",
            )
            if _missing
            else mo.plain_text(""),
        ]
    )
    return (call_picker,)


@app.cell
def timeline(archive, call_picker):
    mo.stop(call_picker.value is None, mo.callout(mo.plain_text("Choose a call."), kind="info"))
    call, _problem = tried(lambda: call_timeline(archive, call_picker.value))
    mo.stop(_problem is not None, mo.callout(mo.plain_text(_problem or ""), kind="danger"))
    pairs(call_facts(call.overview))
    return (call,)


@app.cell
def chooser(call):
    _end = max(round(call.duration_s, 2), 0.1)
    _step = 0.05 if _end < 600 else 0.5
    stretch_slider = mo.ui.range_slider(
        start=0.0,
        stop=_end,
        step=_step,
        value=opening_stretch(call.findings, end_s=_end, step_s=_step),
        label="stretch (s)",
        debounce=True,
        full_width=True,
    )
    return (stretch_slider,)


@app.cell
def lanes(call, stretch_slider):
    chosen = within(stretch_slider.value, end_s=call.duration_s)
    mo.vstack(
        [
            mo.md(
                "## The call on one time axis\n\nLook for white between the end of a caller's bar and the start of the "
                "agent's (waiting), and for bars above each other (talk-over). Yellow is the stretch below."
            ),
            mo.callout(mo.plain_text(call.note), kind="warn") if call.note else mo.plain_text(""),
            call_lanes.chart(
                call.levels,
                call.speech,
                call.marks,
                duration_s=call.duration_s,
                stretch=chosen,
                title="Level, speech and events",
            ),
            stretch_slider,
        ]
    )
    return (chosen,)


@app.cell
def stretch_player(archive, call, chosen):
    played(archive, call, *chosen, None)
    return


@app.cell
def spectrogram_switch():
    spectrogram_wanted = mo.ui.switch(label="mel spectrogram of the yellow stretch")
    spectrogram_wanted
    return (spectrogram_wanted,)


@app.cell
def spectrogram(archive, call, chosen, spectrogram_wanted):
    mo.stop(not spectrogram_wanted.value)
    _pictures, _problem = tried(lambda: call_spectrogram(archive, call.call_id, start_s=chosen[0], end_s=chosen[1]))
    mo.stop(_problem is not None, mo.callout(mo.plain_text(_problem or ""), kind="warn"))
    _levels = mel.scale([_p.power_db for _p in _pictures])
    mo.vstack(
        [
            mo.md("Look for speech of one side showing in the other's picture: that is echo or leakage."),
            *(
                mel.chart(
                    _p.power_db,
                    start_s=_p.start_s,
                    end_s=_p.end_s,
                    band_edges_hz=_p.band_edges_hz,
                    side=_p.role,
                    levels_db=_levels,
                )
                for _p in _pictures
            ),
        ]
    )
    return


@app.cell
def turns(call):
    texts = turn_texts(call.turns, language=call.overview["language"])
    _texts = [name for name in ("said", "heard", "truth") if name in texts.columns]
    _widths = dict.fromkeys(_texts, 660 // max(len(_texts), 1))
    _widths |= {"turn_ix": 75, "role": 75, "start_s": 80, "end_s": 80, "differing_count": 130}
    turn_table = table_of(texts, selection="single", page_size=12, widths=_widths)
    _supplied = call.overview["turn_count"] is not None
    _intro = "## What was said and heard\n\nLook at ⟦words in brackets⟧: what was heard there is not what was said. Choose a turn to hear it."
    mo.vstack(
        [
            mo.md(_intro),
            shown(call.turns, QUERIES["turns"], "turns", params={"call": call.call_id}, table=turn_table)
            if len(texts)
            else mo.plain_text("No turns in this call." if _supplied else "Turns were never supplied for this call."),
        ]
    )
    return texts, turn_table


@app.cell
def turn_player(archive, call, texts, turn_table):
    mo.stop(not len(texts))
    mo.stop(not len(turn_table.value), mo.plain_text("No turn chosen."))
    _ix = int(turn_table.value["turn_ix"].item(0))
    _turn = call.turns.filter(call.turns["turn_ix"] == _ix).row(0, named=True)
    _where = turn_stretch(call.turns, _ix, turn_clock=call.turn_clock)
    mo.vstack(
        [
            written(_turn, call.overview["language"]),
            played(archive, call, _where.start_s, _where.end_s, _where.note, begins=True),
        ]
    )
    return


@app.cell
def tools(call):
    _supplied = call.overview["tool_call_count"] is not None
    mo.vstack(
        [
            mo.md(
                "## What the agent did\n\nLook for errors, and for what changes something for the caller before it was confirmed."
            ),
            shown(
                call.tool_calls,
                QUERIES["tool_calls"],
                "tool_calls",
                params={"call": call.call_id},
                table=table_of(call.tool_calls.drop("call_id"), widths={"arguments": 260, "result": 320, "error": 160}),
            )
            if len(call.tool_calls)
            else mo.plain_text(
                "No tool calls in this call." if _supplied else "Tool calls were never supplied for this call."
            ),
        ]
    )
    return


@app.cell
def findings(call):
    _columns = [
        "severity",
        "failure_code",
        "turn_ix",
        "start_s",
        "end_s",
        "message",
        "observed",
        "expected",
        "dimension",
    ]
    finding_table = table_of(
        call.findings.select(_columns),
        selection="single",
        widths={
            "severity": 80,
            "turn_ix": 75,
            "start_s": 80,
            "end_s": 80,
            "message": 265,
            "dimension": 110,
            "observed": 150,
            "expected": 150,
        },
    )
    mo.vstack(
        [
            mo.md(
                "## What was found\n\nFailures of the newest assertion run, by time. Choose one to hear it: timing is no proof of intent."
            ),
            shown(
                call.findings,
                QUERIES["findings"],
                "findings",
                params={"call": call.call_id},
                table=finding_table,
            )
            if len(call.findings)
            else mo.plain_text(verdict(call.overview)),
        ]
    )
    return (finding_table,)


@app.cell
def finding_player(archive, call, finding_table):
    mo.stop(not len(call.findings))
    mo.stop(not len(finding_table.value), mo.plain_text("No finding chosen."))
    _where = finding_stretch(finding_table.value.row(0, named=True))
    played(archive, call, _where.start_s, _where.end_s, _where.note, begins=True)
    return


@app.cell
def reported(archive, call):
    clocks = two_clocks(archive, call.call_id)
    mo.stop(not clocks.report_count)
    _intro = "## What the framework reported, and what is heard\n\nLook for red: a report that cannot be of its turn."
    mo.vstack(
        [
            mo.md(_intro),
            mo.callout(mo.plain_text(f"Not compared: {clocks.reason}."), kind="neutral")
            if clocks.reason
            else clocks_chart.chart(
                clocks.frame(), offset_ms=clocks.offset_ms, drift_ms_per_min=clocks.drift_ms_per_min
            ),
            shown(
                clocks.frame().drop("residual_ms", "fault"),
                CLOCKS["reports"],
                "reported_latency",
                params={"call": call.call_id},
                table=table_of(clocks.frame().select(REPORTED.keys()), widths=REPORTED),
            ),
        ]
    )
    return


@app.cell
def summary(call):
    if mo.app_meta().mode == "script":
        print(f"{call.call_id!r}: " + ", ".join(f"{_label} {_value}" for _label, _value in call_facts(call.overview)))
        for _row in call.findings.iter_rows(named=True):
            print(f"{_row['severity']} {_row['failure_code']}: {_row['message']!r}")
    return


@app.function
def offered(choices, calls):
    """Return how many calls there are to choose from: all, or the worst of many."""
    if choices == calls:
        return f"{theme.plural(calls, 'call')} to choose from"
    return f"{choices:,} of {theme.plural(calls, 'call')} to choose from: the worst"


@app.function
def labelled(call_id):
    """Return a call id as a choice to read: one line, at most 80 letters, its end kept."""
    line = " ".join(call_id.split()) or repr(call_id)
    return line if len(line) <= 80 else f"{line[:40]}…{line[-39:]}"


@app.function
def played(archive, call, start_s, end_s, note, *, begins=False):
    """Return a player of a stretch of both channels, which may begin by itself, or why there is none."""
    if start_s is None:
        return mo.callout(mo.plain_text(f"Nothing to play: {note}."), kind="neutral")
    if not call.overview["has_audio"]:
        return mo.callout(mo.plain_text("Nothing to play: this call has no audio."), kind="neutral")
    if end_s - start_s > LONGEST_S:
        end_s = start_s + LONGEST_S
        note = f"the first {LONGEST_S:.0f} s of it"
    sound, problem = tried(lambda: stretch(archive, call.call_id, start_s=start_s, end_s=end_s))
    if problem is not None:
        return mo.callout(mo.plain_text(problem), kind="danger")
    text = f"{sound.start_s:.2f} to {sound.end_s:.2f} s ({sound.duration_s:.2f} s), {sound.sides}" + (
        f"; {note}" if note else ""
    )
    player = mo.audio(sound.wav)
    if begins:
        player = mo.Html(player.text.replace("<audio ", "<audio autoplay ", 1))
    return mo.vstack([player, mo.plain_text(text)], align="start", gap=0.25)


@app.function
def written(turn, language):
    """Return the versions of a turn under each other, with differing words marked; everything is escaped."""
    rows = "".join(
        f"<tr><th style='text-align:left;padding:.1rem 1rem .1rem 0;font-weight:600'>{name}</th><td>{as_html(words)}</td></tr>"
        for name, words in compared(turn, language=language)
    )
    return mo.Html(f"<table style='font-size:1rem'><tbody>{rows}</tbody></table>")


if __name__ == "__main__":
    app.run()
