"""What the timing notebook prints where it runs as a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.timing_shown import interval, seconds
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl


def printed(rates: pl.DataFrame, yields: pl.DataFrame, *, talk_over: pl.DataFrame, flips: pl.DataFrame) -> list[str]:
    """Return a line for each rate, curve and share, and one for the verdicts that flip.

    Parameters
    ----------
    rates : polars.DataFrame
        From :func:`workbench.analysis.timing_counts.rates`.
    yields : polars.DataFrame
        From :func:`workbench.analysis.timing_survival.summaries`.
    talk_over : polars.DataFrame
        From :func:`workbench.analysis.timing_spread.talk_over_shares`.
    flips : polars.DataFrame
        `call_id` and `label_id` of each verdict that flips.

    Returns
    -------
    list of str
    """
    return [
        *(
            f"{row['expect']}: {row['pass_count']} of {plural(row['trial_count'], 'judged moment')} pass{interval(row)}"
            for row in rates.iter_rows(named=True)
        ),
        *(
            f"time to yield: median {seconds(row['median_s'])}, mean up to {row['tau_s']:g} s "
            f"{seconds(row['mean_s'])}, {row['censored_count']} of {row['moment_count']} censored"
            for row in yields.iter_rows(named=True)
        ),
        *(
            f"talk-over, {row['group']}: {row['talk_over_s']:.1f} of {row['caller_s']:.1f} s of the callers' speech"
            for row in talk_over.iter_rows(named=True)
        ),
        f"verdicts that flip somewhere on a slider: {flips.select('call_id', 'label_id').n_unique()}",
    ]
