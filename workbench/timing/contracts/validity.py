"""What must hold of a contract before its clip is measured: the same for proving, packing and unpacking it."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.audio.read import pcm_sha256
from workbench.audio.source import identify
from workbench.audio.stand_in import standing_for
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.contracts import members
from workbench.timing.contracts.document import Contract, Tampered

if TYPE_CHECKING:
    import polars as pl
    import pyarrow.parquet as pq

    from workbench.audio.source import Source

FRAME_TYPES = {
    "frame_ix": "int32",
    "time_s": "double",
    "caller_dbfs": "double",
    "agent_dbfs": "double",
    "caller_active": "bool",
    "agent_active": "bool",
}
"""Arrow's name of the type of each column: another one is not of our making, and may be one no reader takes."""

FRAME_COLUMNS = tuple(FRAME_TYPES)
MOST_BYTES_A_ROW, MOST_BYTES_BESIDE = 64, 64 << 10
"""Uncompressed: a row holds 30 bytes; what lies beside the rows does not grow with them."""

NOT_OF_THE_CLIP = "somebody changed them: get the contract again from whoever made it, or pin the moment again"

_MOST_SHOWN = 8


def require_valid(contract: Contract, files: Mapping[str, bytes], *, where: str) -> None:
    """Refuse a contract that cannot be measured, or whose clip is another one.

    Parameters
    ----------
    contract : Contract
        Its decoded document.
    files : mapping of str to bytes
        Its evidence, by name.
    where : str
        Its place, for errors.

    Returns
    -------
    None
        When policy, clip and stored frames can be used. Whether there is a verdict only measuring tells.

    Raises
    ------
    UsageError
        When the policy holds what this version does not know or what cannot be, the clip is no 16-bit WAV of two
        channels, or the stored frames cannot be read.
    ImportFailed
        When the clip is no sound.
    Tampered
        When the clip, or its samples, are not those the contract was made of, or the stored frames cannot have been
        measured from it.
    """
    clip = files[members.CLIP]
    if hashlib.sha256(clip).hexdigest() != contract.digests.clip_sha256:
        raise Tampered("the clip is not the one the contract was made of", where=where)
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder) / "event.wav"
        path.write_bytes(clip)
        with standing_for(where, path):
            _, measure = contract.policy.configs()
            source = two_channels(path)
            if pcm_sha256(path) != contract.digests.clip_pcm_sha256:
                raise Tampered("the clip's samples are not those the contract was made of", where=where)
            rows = -(-(source.promised or 0) // measure.hop_samples(source.sample_rate_hz))
            stored_frames(files[members.FRAMES], rows=rows, names=FRAME_COLUMNS)


def two_channels(path: Path) -> Source:
    """Return what a clip is, once it is what a clip has to be.

    Parameters
    ----------
    path : pathlib.Path
        The clip.

    Returns
    -------
    Source

    Raises
    ------
    UsageError
        When it is no 16-bit WAV of two channels.
    ImportFailed
        When it is no sound.
    """
    source = identify(path)
    if source.reader != "pcm16" or source.channel_count != 2:
        raise UsageError(
            f"the clip is {source.container} with {plural(source.channel_count, 'channel')}, not 16-bit WAV of two",
            where=str(path),
            hint="pin the moment again",
        )
    return source


def stored_frames(parquet: bytes, *, rows: int, names: Sequence[str]) -> pl.DataFrame:
    """Return the frames that a contract holds.

    Parameters
    ----------
    parquet : bytes
        The file.
    rows : int
        How many there should be.
    names : sequence of str
        The columns there should be.

    Returns
    -------
    polars.DataFrame
        Without an empty cell, each level a finite number, the frames in order.

    Raises
    ------
    UsageError
        When the file cannot be read, its columns are others or of other types, or it unpacks to more than such rows
        take. All of this its metadata tell, before a row is read.
    Tampered
        When no measuring of such a clip gives them: another number of frames, one without a number, or out of order.
    """
    import polars as pl
    import polars.selectors as cs
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(parquet))
        found = {field.name: str(field.type) for field in file.schema_arrow}
        if found != {name: FRAME_TYPES[name] for name in names} or len(file.schema_arrow) != len(found):
            shown = ", ".join(f"{name} {kind}" for name, kind in list(found.items())[:_MOST_SHOWN])
            raise UsageError(f"{members.FRAMES} has other columns ({shown})", hint="pin the moment again")
        if file.metadata.num_rows != rows:
            held = plural(file.metadata.num_rows, "frame")
            raise Tampered(f"{members.FRAMES} holds {held}, and the clip has {rows:,}", hint=NOT_OF_THE_CLIP)
        size = _unpacked_bytes(file.metadata)
        if size > rows * MOST_BYTES_A_ROW + MOST_BYTES_BESIDE:
            raise UsageError(
                f"{members.FRAMES} has {plural(rows, 'row')} in {plural(size, 'byte')} unpacked",
                hint="pin the moment again",
            )
        frames = pl.DataFrame(file.read())
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UsageError(f"{members.FRAMES} cannot be read ({error})", hint="pin the moment again") from error
    numbers = pl.all_horizontal(pl.all().is_not_null(), cs.float().is_finite())
    in_order = pl.col("frame_ix") == pl.int_range(pl.len())
    measured: int = frames.select((numbers & in_order).sum()).item()
    if measured != rows:
        bad = plural(rows - measured, "frame")
        raise Tampered(f"{members.FRAMES} has {bad} without a number or out of order", hint=NOT_OF_THE_CLIP)
    return frames


def _unpacked_bytes(about: pq.FileMetaData) -> int:
    groups = [about.row_group(ix) for ix in range(about.num_row_groups)]
    return sum(max(0, group.column(ix).total_uncompressed_size) for group in groups for ix in range(group.num_columns))
