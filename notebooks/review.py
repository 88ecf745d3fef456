# /// script
# requires-python = ">=3.11"
# dependencies = ["callbench[notebooks]"]
# ///
"""Review: hear moments that nobody has judged yet, say whether the agent should yield or hold, take it back."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="charts.css", app_title="Review: yield or hold?")

with app.setup:
    import getpass
    import os

    import marimo as mo

    from workbench.analysis import review
    from workbench.analysis.call_audio import stretch
    from workbench.analysis.default_archive import default_archive
    from workbench.analysis.no_verdict import no_verdict
    from workbench.analysis.opened import opened
    from workbench.analysis.review_page import Page, facts
    from workbench.analysis.review_sentence import sentence_of
    from workbench.analysis.tried import tried
    from workbench.archive.views import query
    from workbench.charts import moment_lanes, theme
    from workbench.charts.pairs import pairs
    from workbench.charts.presses import Presses
    from workbench.charts.shown import shown, table_of

    ALL = "all kinds"


@app.cell
def title():
    mo.md("""
    # Yield or hold?

    A caller begins while the agent speaks. Hear the moment, and say what the agent **should** have done: *yield*, stop for the
    caller, or *hold*, go on speaking, as for an "mhm". What it did is measured; what it should have done only a person can say.
    Each answer adds a label under your name and scores the moment. Nothing is ever overwritten.

    As a script: `python notebooks/review.py --archive DIR` prints the queue.
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
def page_state():
    get_page, set_page = mo.state(Page(), allow_self_loops=True)
    answers, undos = Presses(), Presses()
    return answers, get_page, set_page, undos


@app.cell
def settings(archive):
    _kinds = [review.ASKED, *(k for k in archive.sql(review.QUERIES["left"])["kind"] if k != review.ASKED)]
    kind_picker = mo.ui.dropdown(
        {k.replace("_", " "): k for k in _kinds} | {ALL: None}, value=review.ASKED.replace("_", " "), label="moments"
    )
    author_box = mo.ui.text(value=os.environ.get("WORKBENCH_AUTHOR") or login(), label="author")
    measured_switch = mo.ui.switch(label="tell what was measured before I answer: it steers")
    return author_box, kind_picker, measured_switch


@app.cell
def waiting(archive, get_page, kind_picker):
    queue = review.queue(archive, kind_picker.value, put_off=get_page().put_off)
    return (queue,)


@app.cell
def progress(archive, archive_path, author_box, get_page, kind_picker, measured_switch, queue):
    get_page()
    labelled = review.history(archive)
    mo.vstack(
        [
            mo.plain_text(f"{archive_path} · snapshot {archive.snapshot}"),
            mo.hstack([author_box, kind_picker, measured_switch], justify="start", align="center", gap=1, wrap=True),
            mo.hstack(
                [
                    mo.stat(f"{len(queue):,}", label="moments left"),
                    mo.stat(f"{queue['put_off'].sum():,}", label="of them put off"),
                    mo.stat(f"{len(labelled):,}", label="labels"),
                    mo.stat(f"{labelled['author'].n_unique():,}", label="authors"),
                ],
                justify="start",
                gap=1,
                wrap=True,
            ),
        ]
    )
    return (labelled,)


@app.cell
def chosen(archive, queue, queue_table):
    mo.stop(
        queue.is_empty(),
        mo.callout(
            mo.plain_text(
                "Nothing is left to judge among these moments. New calls bring new ones:\n"
                + archive.layout.command("workbench import FOLDER")
                + "\n"
                + archive.layout.command("workbench measure")
            ),
            kind="success",
        ),
    )
    _picked = queue_table.value
    moment = queue.row(int(_picked["place"].item(0)) - 1 if len(_picked) else 0, named=True)
    return (moment,)


@app.cell
def heard(archive, measured_switch, moment):
    _from, _to = max(moment["onset_s"] - review.BEFORE_S, 0.0), moment["onset_s"] + review.AFTER_S
    _sound, _problem = tried(lambda: stretch(archive, moment["call_id"], start_s=_from, end_s=_to))
    _around = review.window(archive, moment["call_id"], moment["onset_s"])
    _parts = [pairs(facts(moment, measured=measured_switch.value))]
    if moment["kind"] != review.ASKED:
        _parts.append(mo.plain_text(sentence_of(archive, moment)))
    if moment["kind"] == review.ASKED and not moment["judgeable"]:
        _why = f"A label is kept and gives no verdict: {no_verdict(moment['reason'])} ({moment['reason']})."
        _parts.append(mo.callout(mo.plain_text(_why), kind="warn"))
    _parts.append(played(_sound, _problem, mark_s=moment["onset_s"]))
    _parts.append(
        moment_lanes.chart(
            _around.levels,
            _around.speech,
            onset_s=moment["onset_s"],
            start_s=_around.start_s,
            end_s=_around.end_s,
        )
    )
    mo.vstack(_parts)
    return


@app.cell
def bounds():
    yield_bound = mo.ui.text(label="stop within (s)", placeholder="no bound")
    talk_bound = mo.ui.text(label="both speak at most (s)", placeholder="no bound")
    return talk_bound, yield_bound


@app.cell
def answer(answers, archive, author_box, get_page, moment, set_page, talk_bound, yield_bound):
    _first = answers.drawn(3)

    def _judge(expect):
        _bounds = {"max_time_to_yield_s": yield_bound.value, "max_talk_over_s": talk_bound.value}

        def _step():
            _limits = {name: review.bound(text) for name, text in _bounds.items()} if expect == "yield" else {}
            return review.judge(
                archive, moment["call_id"], onset_s=moment["onset_s"], expect=expect, author=author_box.value, **_limits
            )

        _given, _problem = tried(_step)
        set_page(get_page().refuse(_problem) if _given is None else get_page().answered(moment, expect, _given))

    yield_button = mo.ui.button(
        label="Yield",
        kind="success",
        tooltip="it should stop for the caller (Alt+Y)",
        keyboard_shortcut="Alt-Y",
        on_click=_first(lambda: _judge("yield")),
    )
    hold_button = mo.ui.button(
        label="Hold",
        kind="warn",
        tooltip="it should go on speaking (Alt+H)",
        keyboard_shortcut="Alt-H",
        on_click=_first(lambda: _judge("hold")),
    )
    later_button = mo.ui.button(
        label="Later",
        tooltip="to the end of the queue (Alt+L)",
        keyboard_shortcut="Alt-L",
        on_click=_first(lambda: set_page(get_page().later(moment))),
    )
    _asked = moment["kind"] == review.ASKED
    _buttons = [yield_button, hold_button, later_button] if _asked else [later_button]
    _below = (
        mo.hstack([mo.md("Bounds for a yield, if any:"), yield_bound, talk_bound], justify="start", align="center")
        if _asked
        else mo.plain_text(
            "Nothing to judge: whether to yield or to hold is asked of a caller who begins while the agent speaks."
        )
    )
    mo.vstack([mo.hstack(_buttons, justify="start", gap=1), _below], gap=0.5)
    return hold_button, later_button, yield_button


@app.cell
def undo(archive, author_box, get_page, set_page, undos):
    _page = get_page()

    def _take_back():
        _last = _page.given[-1]
        _gone, _problem = tried(
            lambda: review.take_back(archive, _last.call_id, _last.label_id, author=author_box.value)
        )
        set_page(get_page().refuse(_problem) if _gone is None else get_page().taken_back(_gone))

    undo_button = mo.ui.button(
        label=f"Undo\N{NO-BREAK SPACE}({len(_page.given)})",
        disabled=not _page.given,
        tooltip="take back the last answer given on this page (Alt+U)",
        keyboard_shortcut="Alt-U",
        on_click=undos.drawn(1)(_take_back),
    )
    _said = mo.plain_text(_page.said or "No answer given on this page yet.")
    mo.hstack(
        [undo_button, mo.callout(_said, kind="danger") if _page.refused else _said],
        justify="start",
        align="center",
        gap=1,
    )
    return (undo_button,)


@app.cell
def queue_shown(kind_picker, measured_switch, queue):
    _rows = queue.drop("place", "put_off")
    _steering = ["magnitude_s", "agent_quiet_s", "severity"]
    _columns = ["call_id", "onset_s", *(_steering if measured_switch.value else []), "judgeable", "reason"]
    if kind_picker.value is None:
        _columns.insert(1, "kind")
    queue_table = table_of(
        queue.select("place", "put_off", *_columns),
        selection="single",
        page_size=10,
        widths={"place": 60, "put_off": 70, "call_id": 250, "kind": 210, "onset_s": 80, "magnitude_s": 105}
        | {"agent_quiet_s": 110, "severity": 80, "judgeable": 90, "reason": 160},
    )
    mo.vstack(
        [
            mo.md(
                "## The queue\n\nThe most salient first: the longest overlap, wait or stop; what gets no verdict comes last. The first is above; choose another "
                "to judge it out of turn. A moment leaves the queue when a label lies within 0.25 s of it. "
                "What the agent did stays out of sight until you have answered, unless you ask for it above."
            ),
            shown(_rows, review.QUERIES["queue"], "review_queue", params={"kind": kind_picker.value}, table=queue_table)
            if len(queue)
            else mo.plain_text("Empty."),
        ]
    )
    return (queue_table,)


@app.cell
def labels(labelled):
    label_table = table_of(
        labelled.drop("label_id").with_row_index("place", offset=1),
        selection="single",
        page_size=8,
        widths={"place": 60, "author": 190, "call_id": 220, "onset_s": 75, "expect": 70, "status": 130, "reason": 150}
        | {"recorded_at": 170},
    )
    mo.vstack(
        [
            mo.md(
                "## Who labelled what\n\nStanding labels, and how the newest scoring run judges them. Choose one to take it back."
            ),
            shown(labelled, query("labelled_moments"), "labelled_moments", table=label_table)
            if len(labelled)
            else mo.plain_text("Nothing is labelled yet."),
        ]
    )
    return (label_table,)


@app.cell
def retraction(archive, author_box, get_page, label_table, labelled, set_page):
    mo.stop(labelled.is_empty())
    mo.stop(not len(label_table.value), mo.plain_text("No label chosen."))
    _row = labelled.row(int(label_table.value["place"].item(0)) - 1, named=True)
    _author = label_table.value["author"].item(0)  # as the table shows it: nothing in it hides

    def _take_back(_value):
        _gone, _problem = tried(
            lambda: review.take_back(archive, _row["call_id"], _row["label_id"], author=author_box.value)
        )
        set_page(get_page().refuse(_problem) if _gone is None else get_page().taken_back(_gone))

    take_back_button = mo.ui.button(label="Take this label back", kind="danger", on_click=_take_back)
    mo.hstack(
        [take_back_button, mo.plain_text(f"{_row['label_id']} by {_author}: it stays in the table labels.")],
        justify="start",
        align="center",
        gap=1,
    )
    return (take_back_button,)


@app.cell
def swaps(archive, get_page):
    get_page()
    suspects = archive.sql(review.QUERIES["swaps"])
    swap_table = table_of(
        suspects.drop("recording_id").with_row_index("place", offset=1),
        selection="single",
        widths={"place": 60, "call_id": 200, "next_step": 330},
    )
    mo.vstack(
        [
            mo.md(
                "## Whose channel is whose?\n\nCalls whose channels may be the wrong way round. Choose one, and hear: "
                "the one that asks for something is the caller."
            ),
            shown(suspects, review.QUERIES["swaps"], "suspected_swaps", table=swap_table)
            if len(suspects)
            else mo.plain_text("No swap is suspected."),
        ]
    )
    return suspects, swap_table


@app.cell
def swap_heard(archive, author_box, get_page, set_page, suspects, swap_table):
    mo.stop(suspects.is_empty())
    mo.stop(not len(swap_table.value), mo.plain_text("No call chosen."))
    _row = suspects.row(int(swap_table.value["place"].item(0)) - 1, named=True)
    _roles = tuple(_row["channel_roles"])
    _sound, _problem = tried(lambda: stretch(archive, _row["call_id"], start_s=0.0, end_s=30.0))

    def _confirm(_value):
        _done, _refused = tried(lambda: review.confirm(archive, _row["call_id"], _roles, author=author_box.value))
        _said = f"Confirmed: {', '.join(_roles)} in {_row['call_id']}."
        set_page(get_page().refuse(_refused) if _done is None else get_page().told(_said))

    confirm_button = mo.ui.button(label="Right as it is", kind="success", on_click=_confirm)
    mo.vstack(
        [
            played(_sound, _problem),
            mo.hstack(
                [confirm_button, mo.plain_text(f"channels in order: {', '.join(_roles)}")],
                justify="start",
                align="center",
                gap=1,
            ),
            mo.plain_text(review.exchanged(archive, _row)),
        ]
    )
    return (confirm_button,)


@app.cell
def summary(labelled, queue):
    if mo.app_meta().mode == "script":
        print(
            f"{theme.plural(len(queue), 'moment')} left, {len(labelled):,} labelled by {theme.plural(labelled['author'].n_unique(), 'author')}"
        )
        for _row in queue.head(20).iter_rows(named=True):
            print(f"{_row['severity']:<8} {_row['call_id']!r} at {_row['onset_s']:.2f} s: {_row['kind']}")
    return


@app.function
def login():
    """Return the name this computer knows its user by; nothing where it knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


@app.function
def played(sound, problem, mark_s=None):
    """Return a player of a stretch with its times and sides, or why there is none."""
    if problem is not None:
        return mo.callout(mo.plain_text(problem), kind="danger")
    text = f"{sound.start_s:.2f} to {sound.end_s:.2f} s, {sound.sides}"
    if mark_s is not None:
        text += f"; the moment comes after {mark_s - sound.start_s:.2f} s"
    return mo.vstack([mo.audio(sound.wav), mo.plain_text(text)], align="start", gap=0.25)


if __name__ == "__main__":
    app.run()
