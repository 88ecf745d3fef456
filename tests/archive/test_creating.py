"""Making an archive deletes nothing of anybody's: folders called data, an archive without its marker, links."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from made_calls import made_call

from workbench.archive import creating, lock
from workbench.archive.archive import Archive
from workbench.archive.lake.writer import Writer
from workbench.archive.layout import Layout
from workbench.cli import main
from workbench.errors import ArchiveFailed, QueryRefused


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def ran(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


@pytest.mark.parametrize("name", ["data", "media"])
def test_a_folder_of_somebody_with_the_name_of_ours_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "p" / name).mkdir(parents=True)
    (tmp_path / "p" / name / "mine.csv").write_text("precious")
    (tmp_path / "call.json").write_text('{"format": "workbench.call/1", "id": "c", "turns": []}')
    before = files(tmp_path)
    with pytest.raises(ArchiveFailed, match="the folder is not empty"):
        Archive.create(tmp_path / "p")
    assert ran("init", "--archive", tmp_path / "p") == 2
    assert ran("import", tmp_path / "call.json", "--archive", tmp_path / "p") == 2
    assert ran("import", tmp_path / "p" / name, "--archive", tmp_path / "p") == 2
    assert files(tmp_path) == before


def test_a_link_called_data_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "outer").mkdir()
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "data").symlink_to(tmp_path / "outer")
    assert ran("init", "--archive", tmp_path / "p") == 2
    assert (tmp_path / "p" / "data").is_symlink()


def test_an_archive_that_lost_its_marker_is_told_and_kept(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "a") as archive:
        archive.add([made_call(0, tmp_path / "sounds")])
    marker = (tmp_path / "a" / "archive.json").read_text()
    (tmp_path / "a" / "archive.json").unlink()
    (tmp_path / "cut.wav").write_bytes(b"RIFF")
    before = files(tmp_path)
    with pytest.raises(ArchiveFailed, match=r"has lost its file archive\.json"):
        Archive(tmp_path / "a")
    assert ran("init", "--archive", tmp_path / "a") == 2
    assert ran("import", tmp_path / "sounds", "--archive", tmp_path / "a") == 2
    assert ran("import", tmp_path / "cut.wav", "--strict", "--archive", tmp_path / "a") == 2
    assert files(tmp_path) == before
    (tmp_path / "a" / "archive.json").write_text(marker)
    assert Archive(tmp_path / "a").sql("from calls").height == 1


def stopped(*_given: object, **_options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("stop", [(creating.lake, "making"), (creating.lock, "held")], ids=["filling", "waiting"])
def test_what_was_there_before_a_failed_creation_is_there_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: tuple[object, str]
) -> None:
    (tmp_path / "empty").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    monkeypatch.setattr(*stop, stopped)
    for target in ("empty", "link", "p1/p2/p3"):
        with pytest.raises(KeyboardInterrupt):
            Archive.create(tmp_path / target)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "link"]


def test_a_failed_first_import_leaves_the_folders_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.archive import importing

    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    (tmp_path / "call.json").write_text('{"format": "workbench.call/1", "id": "c", "turns": []}')
    monkeypatch.setattr(importing, "commit", stopped)
    for target in ("empty", "link", "p1/p2/p3"):
        assert ran("import", tmp_path / "call.json", "--archive", tmp_path / target) != 0
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["call.json", "empty", "link"]


@pytest.mark.parametrize("busy", ["rows", "writer"])
def test_an_archive_that_another_process_uses_is_not_taken_away(tmp_path: Path, busy: str) -> None:
    layout = Layout(tmp_path / "a")
    made = creating.create(layout)
    if busy == "rows":
        with Archive(layout.root) as archive:
            archive.add([made_call(0, tmp_path / "sounds")])
    else:
        (layout.root / ".spool-1-x").mkdir()
    creating.unmake(layout, made)
    assert layout.marker.exists()
    assert Archive(layout.root).snapshot >= 1


@pytest.fixture
def half_made(tmp_path: Path) -> Callable[[], Path]:
    def make() -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(creating, "_clear", lambda _layout: None)
            patch.setattr(creating.lake, "making", stopped)
            with pytest.raises(KeyboardInterrupt):
                Archive.create(tmp_path / "a")
        return tmp_path / "a"

    return make


def test_what_a_killed_creation_left_is_taken_over(half_made: Callable[[], Path]) -> None:
    left = half_made()
    assert (left / "archive.making").exists()
    Archive.create(left).close()
    assert not (left / "archive.making").exists()


def test_a_half_made_archive_with_files_of_somebody_is_left_alone(half_made: Callable[[], Path]) -> None:
    left = half_made()
    (left / "data" / "mine.csv").write_text("precious")
    with pytest.raises(ArchiveFailed, match="the folder is not empty"):
        Archive.create(left)
    assert (left / "data" / "mine.csv").read_text() == "precious"
    shutil.rmtree(left)


def test_a_lock_whose_file_is_removed_while_it_is_waited_for_is_taken_anew(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    entered, leave, alone = threading.Event(), threading.Event(), []

    def second() -> None:
        with lock.held(path):
            entered.set()
            leave.wait(10)

    with lock.held(path):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.1)
        path.unlink()
    assert entered.wait(10)
    try:
        with lock.held(path, timeout_s=0.0):
            alone.append("two hold it")
    except ArchiveFailed:
        alone.append("one holds it")
    leave.set()
    waiting.join()
    assert alone == ["one holds it"]


def test_the_lock_of_an_archive_that_is_not_made_goes_while_it_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed after it was let go, it would be taken away from whoever had just taken it."""
    layout = Layout(tmp_path / "a")
    layout.root.mkdir()
    held, left = lock.held, []

    @contextmanager
    def watched(path: Path) -> Iterator[None]:
        with held(path):
            try:
                yield
            finally:
                left.append(path.exists())

    def stop(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lock, "held", watched)
    with monkeypatch.context() as patch:
        patch.setattr(creating, "_fill", stop)
        with pytest.raises(KeyboardInterrupt):
            creating.create(layout)
    creating.unmake(layout, creating.create(layout))
    assert left == [False, True, False]
    assert list(layout.root.iterdir()) == []


@pytest.mark.parametrize("text", ["[" * 5000 + "]" * 5000, "[1]", '"x"', "{}", '{"format": ' + "9" * 400 + "}", "\xff"])
def test_a_marker_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    Archive.create(tmp_path / "a").close()
    (tmp_path / "a" / "archive.json").write_text(text, encoding="latin-1")
    with pytest.raises(ArchiveFailed, match=r"archive\.json|has the format"):
        Archive(tmp_path / "a")


@pytest.mark.parametrize("stop", [ArchiveFailed("the disk is full", hint="free space"), KeyboardInterrupt()])
@pytest.mark.parametrize("part", ["_clear", "_remove_lock", "_remove_folders"])
def test_what_cannot_be_undone_is_told_with_what_stopped_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, stop: BaseException
) -> None:
    def begun(layout: Layout) -> None:
        layout.making.touch()
        raise stop

    def kept(*_given: object) -> None:
        raise PermissionError(13, "Permission denied", "part")

    monkeypatch.setattr(creating, "_fill", begun)
    monkeypatch.setattr(creating, part, kept)
    with pytest.raises(type(stop), match=r"(?s)what was begun stays .*Permission denied.*remove it by hand") as told:
        creating.create(Layout(tmp_path / "a"))
    assert isinstance(stop, KeyboardInterrupt) or "the disk is full; what was begun" in str(told.value)


def test_a_folder_that_somebody_fills_meanwhile_stays_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(layout: Layout) -> None:
        (layout.root.parent / "mine.csv").write_text("precious")
        raise ArchiveFailed("the disk is full")

    monkeypatch.setattr(creating, "_fill", begun)
    with pytest.raises(ArchiveFailed, match=r"^the disk is full$"):
        creating.create(Layout(tmp_path / "b" / "a"))
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["mine.csv"]


def test_a_connection_that_cannot_roll_back_commits_nothing_more(tmp_path: Path) -> None:
    """The transaction would stay open otherwise, and the next one on the connection would carry its rows."""
    Archive.create(tmp_path / "a").close()
    writer = Writer(Layout(tmp_path / "a"))

    class Refusing:
        """A connection whose ROLLBACK fails."""

        def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
            self.con = con

        def execute(self, query: str) -> object:
            if query == "ROLLBACK":
                raise duckdb.IOException("IO Error: cannot roll back")
            return self.con.execute(query)

        def close(self) -> None:
            self.con.close()

    def fails(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("CREATE TABLE lake.left_over (n INTEGER)")
        raise ValueError("stop")

    writer.con = Refusing(writer.con)  # type: ignore[assignment]
    with pytest.raises(ValueError, match="stop"):
        writer.transaction(fails, message="one")
    with pytest.raises(duckdb.Error, match="closed"):
        writer.con.execute("SELECT 1")
    writer.close()
    with pytest.raises(QueryRefused, match="left_over does not exist"):
        Archive(tmp_path / "a").sql("SELECT * FROM left_over")
