"""Arrow arrays from numpy's, and without pandas.

`pyarrow.array` and its like import pandas where it is installed, which takes 0.2 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


def array(values: NDArray[Any]) -> pa.Array[Any]:
    """Return a numpy array as an Arrow one without nulls.

    Parameters
    ----------
    values : numpy.ndarray, shape (n,)
        Numbers or truth values; n may be 0. Numbers that lie side by side are shared, not copied.

    Returns
    -------
    pyarrow.Array
        Of the type that has the same width.
    """
    values = np.ascontiguousarray(values)
    packed = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(packed)])


def constant(value: str, count: int) -> pa.DictionaryArray:
    """Return one text, `count` times, as a dictionary of that one text.

    Parameters
    ----------
    value : str
        The text.
    count : int
        How often; 0 gives an empty array.

    Returns
    -------
    pyarrow.DictionaryArray
        Indices of 32 bits.
    """
    text = value.encode()
    ends = np.array([0, len(text)], np.int32)
    texts = pa.StringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(text))
    kind = pa.dictionary(pa.int32(), pa.string())
    return pa.DictionaryArray.from_buffers(kind, count, [None, pa.py_buffer(bytes(4 * count))], texts)


def lists(items: pa.Array[Any], lengths: NDArray[np.int64]) -> pa.Array[Any]:
    """Return a column of lists.

    Parameters
    ----------
    items : pyarrow.Array
        What the lists hold, one after the other.
    lengths : numpy.ndarray of int64, shape (n,)
        How many of the items each list holds; -1 for a null.

    Returns
    -------
    pyarrow.Array
        A large list array of n rows.
    """
    ends = np.concatenate([[0], np.cumsum(np.maximum(lengths, 0))])
    valid = np.packbits(lengths >= 0, bitorder="little")
    buffers = [pa.py_buffer(valid), pa.py_buffer(ends.astype(np.int64))]
    return pa.Array.from_buffers(pa.large_list(items.type), len(lengths), buffers, children=[items])
