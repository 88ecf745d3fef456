"""A DuckDB connection with the extensions an archive needs, and how an archive is attached to it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
from pathlib import Path
from tempfile import gettempdir, mkdtemp

import duckdb

from workbench import current_folder
from workbench.archive import failures
from workbench.archive.lake import catalogue, lost_file
from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed, SnapshotGone

_EXTENSIONS = ("ducklake", "sqlite")
_CONFIG = {"python_enable_replacements": "false", "autoinstall_known_extensions": "false"}
"""The second: nothing is fetched over the network."""

_OF_OWN_FOLDER = ("home_directory", "extension_directory")
"""What is set where there is no home folder, which DuckDB looks for even with a folder of extensions."""

_verified: set[str] = set()
"""Extensions whose signature DuckDB has checked in this process. To check both takes 0.1 s; later connections load the
same two installed files unchecked, and nothing else."""


def connect() -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection with the extensions loaded, times in UTC and no view of Python's variables.

    Raises
    ------
    ArchiveFailed
        When an extension is not installed or cannot be loaded. None is ever fetched.
    UsageError
        When the current folder is gone, without which DuckDB opens nothing.
    """
    if (gone := current_folder.gone()) is not None:
        raise gone
    con = _loaded_again() or _installed()
    con.execute("SET TimeZone = 'UTC'")
    con.execute(f"SET temp_directory = {quote(Path(gettempdir()) / f'workbench-{os.getpid()}')}")
    return con


def _loaded_again() -> duckdb.DuckDBPyConnection | None:
    if not _verified:
        return None
    con = duckdb.connect(":memory:", config={**_CONFIG, "allow_unsigned_extensions": "true"})
    try:
        for name in _EXTENSIONS:
            con.execute(f"LOAD {name}")
    except duckdb.Error:  # the installed files are gone
        con.close()
        return None
    return con


def _installed() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(":memory:", config={**_CONFIG})
    for name in _EXTENSIONS:
        _install(con, name)
    _verified.update(_EXTENSIONS)
    return con


def _install(con: duckdb.DuckDBPyConnection, name: str) -> None:
    package = f"duckdb-extension-{name}=={duckdb.__version__}"
    try:
        import duckdb_extensions

        try:
            duckdb_extensions.import_extension(name, con=con)
        except duckdb.IOException:  # there is no home folder to copy it to, or nobody may write there
            for setting in _OF_OWN_FOLDER:
                con.execute(f"SET {setting} = {quote(_own_folder())}")
            duckdb_extensions.import_extension(name, con=con)
    except ImportError as missing:
        try:
            con.execute(f"LOAD {name}")  # somebody who wanted it from DuckDB has it in the home folder
        except duckdb.Error:
            raise ArchiveFailed(
                f"the DuckDB extension {name!r} is not installed ({missing})",
                hint=f'pip install {package}; or, to have DuckDB fetch it, python -c "import duckdb; '
                f"duckdb.execute('INSTALL {name}')\"",
            ) from missing
        return
    except (OSError, duckdb.Error) as error:
        raise _not_loaded(name, package, error) from error
    try:
        con.execute(f"LOAD {name}")
    except duckdb.Error as error:
        raise _not_loaded(name, package, error) from error


def _not_loaded(name: str, package: str, error: Exception) -> ArchiveFailed:
    return ArchiveFailed(
        f"the DuckDB extension {name!r} cannot be loaded ({error})",
        hint=f"see that its files can be read, and the temporary folder written to; or pip install --force-reinstall "
        f"{package}",
    )


@functools.cache
def _own_folder() -> Path:
    """Return a folder of this process alone, gone with it; later connections look for the extensions there too."""
    folder = Path(mkdtemp(prefix="workbench-extensions-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _CONFIG.update(dict.fromkeys(_OF_OWN_FOLDER, str(folder)))
    return folder


_spare: list[duckdb.DuckDBPyConnection] = []
"""Connections that wrote and were closed; loading the extensions again would cost 0.2 s each time."""


def borrow() -> duckdb.DuckDBPyConnection:
    """Return a connection for a writer, a used one where there is one."""
    return _spare.pop() if _spare else connect()


def give_back(con: duckdb.DuckDBPyConnection) -> None:
    """Detach the archive and keep the connection for the next writer."""
    try:
        con.execute("DETACH lake")
        con.execute("RESET threads; RESET memory_limit")
    except duckdb.Error:
        con.close()  # what a failed statement left behind goes with it
    else:
        _spare.append(con)


def quote(value: str | Path) -> str:
    """Return a value as a SQL string."""
    return "'" + str(value).replace("'", "''") + "'"


def attach(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    *,
    catalog: Path | None = None,
    as_of: int | None = None,
    making: bool = False,
) -> None:
    """Attach an archive as ``lake``: for writing, or read-only from a copy of its catalogue.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
        With the extensions loaded.
    layout : Layout
        The archive.
    catalog : pathlib.Path, optional
        A copy of the catalogue to read from; without it the archive is attached for writing.
    as_of : int, optional
        Snapshot to read.
    making : bool
        The archive is being made: there is no catalogue yet. Else one that holds no archive is refused as it is.

    Raises
    ------
    SnapshotGone
        When there is no such snapshot.
    ArchiveFailed
        When the catalogue cannot be opened, or holds no archive.
    """
    if not making:
        catalogue.require(layout, catalog)
    options = [f"DATA_PATH {quote(str(layout.data) + '/')}", "OVERRIDE_DATA_PATH TRUE"]
    if not making:
        options.append("CREATE_IF_NOT_EXISTS FALSE")
    if catalog is not None:
        options.append("READ_ONLY")
    if as_of is not None:
        options.append(f"SNAPSHOT_VERSION {as_of}")
    uri = f"ducklake:sqlite:{catalog or layout.catalog}"
    try:
        con.execute(f"ATTACH {quote(uri)} AS lake ({', '.join(options)})")
    except duckdb.Error as error:
        if as_of is not None:
            raise SnapshotGone(
                f"the archive has no snapshot {as_of}",
                where=str(layout.root),
                hint=f"{layout.command('workbench history')} lists them",
            ) from error
        refusal = failures.explained(str(error), layout.root) if catalog is None else None  # a copy lies elsewhere
        raise refusal or ArchiveFailed(
            f"the catalogue cannot be opened ({error})",
            where=str(layout.catalog),
            hint=f"{layout.command('workbench verify')} says more; restore catalog.sqlite if it is damaged",
        ) from error


def explain(error: duckdb.Error, layout: Layout) -> ArchiveFailed:
    """Return the error a user meets for one of DuckDB's."""
    if lost_file.is_gone(error) and (missing := lost_file.lost(error, layout)) is not None:
        return missing
    return failures.explained(str(error), layout.root) or failures.Refused(
        str(error),
        where=str(layout.root),
        remedy=f"{layout.command('workbench verify')} checks the archive",
    )
