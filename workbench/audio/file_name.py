"""Names of sound files that a table can keep: valid UTF-8."""

from __future__ import annotations

from typing import Final

from workbench.errors import ImportFailed

BAD_NAME_RULE: Final = "bad_file_name"
BAD_NAME: Final = "the name of the sound file, or of a folder above it, is not valid UTF-8"
BAD_NAME_HINT: Final = "rename it (convmv and detox do many at once), then import again"


def checked_name(path: str) -> str:
    """Return the path as it is.

    Parameters
    ----------
    path : str
        Path of a sound file.

    Returns
    -------
    str
        The same path.

    Raises
    ------
    ImportFailed
        With the rule ``bad_file_name`` where a part of it is no UTF-8: an archive could not name it.
    """
    try:
        path.encode()
    except UnicodeEncodeError as error:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise ImportFailed(BAD_NAME, where=shown, hint=BAD_NAME_HINT, rule=BAD_NAME_RULE) from error
    return path
