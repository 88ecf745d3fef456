"""Reads the inputs of a survey one call at a time, and applies to each what holds for every format."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from datetime import UTC
from pathlib import Path
from typing import Final

import msgspec

from workbench.audio.file_name import BAD_NAME, BAD_NAME_HINT, BAD_NAME_RULE
from workbench.errors import ImportFailed, WorkbenchError
from workbench.ingest import audio_file
from workbench.ingest.audio_names import call_stem, named_by_folder, partner
from workbench.ingest.intake import digest
from workbench.ingest.intake.ahead import digested
from workbench.ingest.intake.hygiene import strip_call, strip_refusal
from workbench.ingest.intake.plausibility import clock_problem, whole_seconds
from workbench.ingest.intake.refusing import of_call, shown
from workbench.ingest.intake.rows import NUL_HINT, drop_impossible, turns_out_of_order
from workbench.ingest.intake.seen import Seen
from workbench.ingest.intake.valid_text import is_valid, valid
from workbench.ingest.intake.walk import Input, Survey
from workbench.ingest.protocol import Options
from workbench.ingest.stated_channels import settle
from workbench.schema.call import Call, Refusal, Scenario

Progress = Callable[[int, int, Path], None]

MAX_HELD: Final = 1_000
"""Refused rows and notes that wait for the id of their call; of a call with more, the first ones go without."""


class Reading(Iterator[Call | Refusal]):
    """Calls and refusals of an import, and while it runs what was counted.

    Attributes
    ----------
    survey : Survey
        The inputs, and the files skipped as irrelevant.
    referenced : int
        Audio files left out because a call that was read already has them.
    """

    def __init__(self, survey: Survey, options: Options, *, on_progress: Progress | None, workers: int) -> None:
        self.survey = survey
        self.referenced = 0
        self._options = options
        self._on_progress = on_progress
        self._owned: set[str] = set()
        self._seen = Seen()
        audio = [item for item in survey.inputs if item.importer and item.importer.FORMAT == "audio"]
        self._audio = digested(audio, workers)
        self._iterator = self._all(audio)

    @property
    def skipped(self) -> int:
        """How many files were skipped as irrelevant."""
        return len(self.survey.skipped)

    def __next__(self) -> Call | Refusal:
        found = next(self._iterator)
        if not isinstance(found, Refusal):
            return found
        found = strip_refusal(found)
        if self._options.strict and found.scope != "note":
            self.close()
            where = f"{found.source_uri}, {found.location}" if found.location else found.source_uri
            raise ImportFailed(found.message, where=where, hint=found.hint, rule=found.rule)
        return found

    def close(self) -> None:
        """End the threads that work ahead; nothing more is read."""
        self._iterator.close()
        self._audio.close()

    def _all(self, audio: list[Input]) -> Generator[Call | Refusal]:
        """Calls with words before audio alone, since they may name that audio as theirs."""
        chosen = {item.path for item in audio}
        others = [item for item in self.survey.inputs if item.path not in chosen]
        ids = _audio_ids(audio)
        done, total = 0, self.survey.total_bytes
        for item in itertools.chain(others, self._audio):
            if self._on_progress is not None:
                self._on_progress(done, total, item.path)
            if item.path in chosen and self._is_owned(item.path):
                self.referenced += 1
            else:
                yield from self._with_ids(item, ids.get(item.path))
            done += item.size
        self._seen.close()
        if self._on_progress is not None and self.survey.inputs:
            self._on_progress(total, total, self.survey.inputs[-1].path)

    def _with_ids(self, item: Input, audio_id: str | None) -> Iterator[Call | Refusal]:
        """Yield what an input holds; rows and notes that come before a call get its id."""
        held: list[Refusal] = []
        for found in self._one(item):
            if isinstance(found, Call):
                self._complete(found, item, audio_id)
                yield from (r if r.call_id else msgspec.structs.replace(r, call_id=found.id) for r in held)
                held.clear()
                yield from self._checked(found)
                continue
            held.append(found)
            if found.scope not in ("row", "note") or len(held) >= MAX_HELD:
                yield from held
                held.clear()
        yield from held

    def _is_owned(self, path: Path) -> bool:
        other = partner(path)
        return any(os.path.realpath(one) in self._owned for one in (path, other) if one is not None)

    def _one(self, item: Input) -> Iterator[Call | Refusal]:
        if item.importer is None:
            rule, message, hint = item.problem or ("unreadable", "cannot be read", "check the file")
            yield Refusal(source_uri=str(item.path), location="", rule=rule, message=message, hint=hint)
            return
        try:
            yield from item.importer.read(item.path, self._options)
        except WorkbenchError as error:
            rule = error.rule if isinstance(error, ImportFailed) else type(error).__name__
            hint = error.hint or "mend the file, or leave it out"
            where = "" if error.where in (None, str(item.path)) or rule == BAD_NAME_RULE else str(error.where)
            yield Refusal(source_uri=str(item.path), location=where, rule=rule, message=error.what, hint=hint)
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            hint = "check its permissions"
            yield Refusal(source_uri=str(item.path), location="", rule="unreadable", message=message, hint=hint)
        except OverflowError as error:
            message = f"a number is beyond what can be kept: {error}"
            yield Refusal(source_uri=str(item.path), location="", rule="out_of_range", message=message, hint="mend it")
        except UnicodeEncodeError as error:
            message = f"it has text that is no Unicode: {error.object[error.start : error.end]!r}"
            hint = "rename the file or its folder, or save the text as UTF-8"
            yield Refusal(source_uri=str(item.path), location="", rule="encoding", message=message, hint=hint)

    def _checked(self, call: Call) -> Iterator[Call | Refusal]:
        for audio in call.audio or ():
            self._owned.add(os.path.realpath(audio.path))
        problem = self._id_problem(call)
        if problem is not None:
            yield problem
            return
        yield from settle(call, self._options.channels)
        yield from _drop_badly_named(call)
        yield from drop_impossible(call)
        problem = clock_problem(call, self._options)
        if problem is not None:
            self._seen.forget(call.id)
            yield problem
            return
        if call.turn_clock == "reported" and whole_seconds(call):
            call.turn_clock = "quantised"
            message = "all turn times are whole seconds: gaps are off by up to a second"
            hint = "ask the source for finer times"
            yield of_call(call, "quantised_times", message=message, hint=hint, scope="note")
        if call.started_at is not None and call.started_at.tzinfo is None:
            call.started_at = call.started_at.replace(tzinfo=UTC)
            message = f"started_at {call.started_at:%Y-%m-%d %H:%M:%S} has no time zone; UTC is taken"
            yield of_call(call, "time_zone_assumed", message=message, hint="write it with +00:00", scope="note")
        order = turns_out_of_order(call)
        if order is not None:
            yield order
        call, stripped = strip_call(call)
        if stripped is not None:
            yield stripped
        yield call

    def _complete(self, call: Call, item: Input, audio_id: str | None) -> None:
        options = self._options
        if audio_id is not None and call.id == call_stem(item.path):
            call.id = audio_id
        if call.id:
            call.id = options.id_prefix + call.id
        if call.parent_call_id:
            call.parent_call_id = options.id_prefix + call.parent_call_id
        call.source_format = call.source_format or (item.importer.FORMAT if item.importer else None)
        call.source_uri = call.source_uri or str(item.path)
        call.source_sha256 = call.source_sha256 or digest.of_path(item.path)
        call.id, call.source_uri = valid(call.id), valid(call.source_uri)
        for name in ("origin", "outcome", "language", "agent_id", "agent_version"):
            stated = getattr(options, name)
            if stated is not None:
                setattr(call, name, stated)
        if options.expected_outcome is not None:
            call.expected_outcome = options.expected_outcome
            if isinstance(call.scenario, Scenario):
                call.scenario = msgspec.structs.replace(call.scenario, expected_outcome=options.expected_outcome)

    def _id_problem(self, call: Call) -> Refusal | None:
        if not call.id.strip():
            hint = "give every call an id of its own"
            return of_call(call, "empty_id", message="the call has an empty id", hint=hint)
        if "\0" in call.id:
            message = f"the id of the call has a NUL: {shown(call.id)}"
            return of_call(call, "nul_in_key", message=message, hint=NUL_HINT)
        known = self._seen.meet(call.id, call.source_sha256 or "")
        if known is None:
            if call.source_format != "audio" or self._seen.meet(f"audio {call.source_sha256}", "") is None:
                return None
            self._seen.forget(call.id)
            known = "same"
        if known == "same":
            message = f"the bytes of the call {call.id!r} were read before; it is taken once"
            return of_call(call, "duplicate_source", message=message, hint="nothing to do", scope="note")
        message = f"another call with the id {call.id!r} was read before"
        hint = "give it an id of its own, or import it apart with --id-prefix"
        return of_call(call, "duplicate_call_id", message=message, hint=hint)


def _drop_badly_named(call: Call) -> list[Refusal]:
    """Take out audio files whose names no table can keep."""
    if all(is_valid(audio.path) for audio in call.audio or ()):
        return []
    refused = [
        of_call(call, BAD_NAME_RULE, message=BAD_NAME, hint=BAD_NAME_HINT, where=valid(audio.path), scope="row")
        for audio in call.audio or ()
        if not is_valid(audio.path)
    ]
    call.audio = [audio for audio in call.audio or () if is_valid(audio.path)]
    return refused


def _audio_ids(inputs: list[Input]) -> dict[Path, str]:
    """Name by their relative path those audio files whose name several calls of the import have."""
    calls = [item for item in inputs if item.importer is audio_file and item.path.suffix.lower() != ".json"]
    folders = {(call_stem(item.path), item.path.parent) for item in calls}
    shared = Counter(stem for stem, _ in folders)
    ids = {}
    for item in calls:
        stem = call_stem(item.path)
        if shared[stem] > 1:
            folder = item.relative.rpartition("/")[0] or item.path.absolute().parent.name
            ids[item.path] = (folder if named_by_folder(item.path) else f"{folder}/{stem}").replace("/", "--")
    return ids
