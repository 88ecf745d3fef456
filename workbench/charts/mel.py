"""A mel spectrogram as one image on real axes: no mark a cell, so that a long stretch stays light."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

RANGE_DB = 80.0
PALETTE = ["#000004", "#2c115f", "#721f81", "#b73779", "#f1605d", "#feb078", "#fcfdbf"]


def chart(
    power_db: NDArray[np.float64],
    *,
    start_s: float,
    end_s: float,
    band_edges_hz: NDArray[np.float64],
    side: str = "caller",
    levels_db: tuple[float, float] | None = None,
    title: str = "Mel spectrogram",
    width: int = theme.WIDTH,
) -> Drawn:
    """Draw a mel spectrogram over time and frequency.

    Parameters
    ----------
    power_db : numpy.ndarray of float64, shape (bands, columns)
        Power in dB, low bands first, columns evenly spaced over the stretch.
    start_s, end_s : float
        The stretch on the call's clock, in seconds.
    band_edges_hz : numpy.ndarray of float64, shape (bands + 1,)
        Where each band begins, and the end of the last, in Hz, rising.
    side : str
        Whose channel it is, for the title.
    levels_db : (float, float), optional
        From which level to which the colours go, where several pictures are compared: see :func:`scale`. The
        picture's own range without it; what is fainter or louder has the colour of that end.
    title : str
        Title of the chart.
    width : int
        Width of the whole chart in pixels, in a file; in a page it is that of its column.

    Returns
    -------
    Drawn
        With one image mark and a legend; the frequency axis is spaced as the bands are.

    Raises
    ------
    UsageError
        When the shapes do not fit or there is no cell to draw.
    """
    import numpy as np
    import polars as pl

    if power_db.ndim != 2 or not power_db.size or len(band_edges_hz) != len(power_db) + 1:
        raise UsageError(
            f"a spectrogram of shape {power_db.shape} does not fit {plural(len(band_edges_hz), 'band edge')}",
            where="charts.mel",
            hint="give shape (bands, columns) and bands + 1 edges",
        )
    bands, columns = power_db.shape
    faintest, loudest = levels_db or scale([power_db])
    picture = pl.DataFrame(
        {
            "middle_s": [(start_s + end_s) / 2], "middle": [bands / 2], "url": [_png(power_db, faintest, loudest)],
        }
    )  # fmt: skip
    legend = pl.DataFrame({"middle_s": [start_s], "middle": [0.0], "level_db": [loudest]})
    cells = f"{plural(bands, 'band')} x {plural(columns, 'column')}"
    subtitle = f"{side}; n: {cells} from {start_s:.2f} to {end_s:.2f} s; nothing left out"
    told = ["power (dB),", f"{faintest:.0f} to {loudest:.0f}", *(["in every picture"] if levels_db else [])]
    colours = np.linspace(faintest, loudest, len(PALETTE))
    spec = _spec((start_s, end_s), band_edges_hz, levels_db=colours, told=told, width=width)
    return Drawn(spec, {"picture": picture, "legend": legend}, title=title, subtitle=subtitle)


def scale(pictures: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Return one range of colours for several spectrograms, so that equal colours are equally loud.

    Parameters
    ----------
    pictures : sequence of numpy.ndarray of float64
        Power in dB, at least one cell.

    Returns
    -------
    (float, float)
        The faintest and the loudest level of all, at most 80 dB apart.
    """
    loudest = max(float(power.max()) for power in pictures)
    faintest = min(float(power.min()) for power in pictures)
    return max(faintest, loudest - RANGE_DB), loudest


def _spec(
    stretch_s: tuple[float, float],
    band_edges_hz: NDArray[np.float64],
    *,
    levels_db: NDArray[np.float64],
    told: list[str],
    width: int,
) -> dict[str, Any]:
    """Return the picture on its axes, and beside it what its colours stand for."""
    import numpy as np

    bands = len(band_edges_hz) - 1
    ticks = [hz for hz in (0, 250, 500, 1000, 2000, 4000, 8000, 16000) if hz <= band_edges_hz[-1] + 1]
    places = np.interp(ticks, band_edges_hz, np.arange(bands + 1.0))
    labels = ", ".join(f"'{place:.3f}': '{hz:,}'" for place, hz in zip(places, ticks, strict=True))
    x = {
        "field": "middle_s",
        "type": "quantitative",
        "title": "time from the start of the call (s)",
        "scale": {"domain": list(stretch_s), "nice": False},
    }
    y = {
        "field": "middle",
        "type": "quantitative",
        "title": "frequency (Hz, mel scale)",
        "scale": {"domain": [0, bands], "nice": False},
        "axis": {
            "values": [round(float(place), 3) for place in places],
            "labelExpr": f"({{{labels}}})[format(datum.value, '.3f')]",
            "labelOverlap": False,
            "grid": False,
        },
    }
    height = 150
    colour = {
        "field": "level_db",
        "type": "quantitative",
        "title": told,
        "scale": {"domain": [float(level) for level in levels_db], "range": PALETTE},
        "legend": {"orient": "right", "gradientLength": height - 16 * len(told)},
    }
    picture = {
        "data": {"name": "picture"},
        "mark": {"type": "image", "width": {"expr": "width"}, "height": height, "aspect": False},
        "encoding": {"x": x, "y": y, "url": {"field": "url", "type": "nominal"}},
    }
    legend = {
        "data": {"name": "legend"},
        "mark": {"type": "point", "opacity": 0},
        "encoding": {"x": x, "y": y, "color": colour},
    }
    return {"layer": [picture, legend], "height": height, **theme.fills(width)}


def _png(power_db: NDArray[np.float64], faintest: float, loudest: float) -> str:
    """Return the cells as a PNG data address, low bands at the bottom (PNG 1.2, colour type 3)."""
    import numpy as np

    anchors = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in PALETTE], dtype=np.float64)
    steps = np.linspace(0, len(PALETTE) - 1, 256)
    palette = np.stack([np.interp(steps, np.arange(len(PALETTE)), anchors[:, i]) for i in range(3)], axis=1)
    span = max(loudest - faintest, 1e-9)
    cells = np.round(np.clip((power_db[::-1] - faintest) / span, 0.0, 1.0) * 255).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in cells)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", cells.shape[1], cells.shape[0], 8, 3, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"PLTE", np.round(palette).astype(np.uint8).tobytes())
    body += chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
