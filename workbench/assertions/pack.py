"""Packs: checks as data. A pack is one JSON file in `data/packs/` or anywhere else."""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from workbench.assertions.registry import Kind, kinds
from workbench.assets import folder
from workbench.errors import UsageError
from workbench.small_file import read_json

FORMAT = "workbench.pack/1"
Dimension = Literal["outcome", "policy", "conversation", "speech", "reliability"]
Severity = Literal["high", "medium", "low"]
P = TypeVar("P", bound=Struct)


class Escalation(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A finding whose magnitude is above `above` has this severity instead."""

    above: float
    severity: Severity


class Definition(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One check: its kind, what it speaks of, how bad a failure is, and its parameters."""

    id: str
    kind: str
    dimension: Dimension
    severity: Severity
    about: str | None = None
    escalations: tuple[Escalation, ...] = ()
    parameters: dict[str, Any] = {}

    def settings(self, cls: type[P]) -> P:
        """Return the parameters as the kind's struct, defaults filled in.

        Raises
        ------
        UsageError
            When a parameter is unknown, missing or of the wrong type; names it.
        """
        try:
            return msgspec.convert(self.parameters, cls)
        except msgspec.ValidationError as error:
            raise UsageError(
                str(error),
                where=f"parameters of assertion {self.id!r}",
                hint=f"{self.kind} takes: {', '.join(cls.__struct_fields__) or 'no parameters'}",
            ) from error

    def resolved(self) -> str:
        """Return everything that decides a verdict as canonical JSON: kind, severity, all parameters."""
        document = {
            "kind": self.kind,
            "dimension": self.dimension,
            "severity": self.severity,
            "escalations": self.escalations,
            "parameters": self.settings(kinds()[self.kind].parameters),
        }
        return msgspec.json.encode(document, order="sorted").decode()

    def sha256(self) -> str:
        """Return the SHA-256 of the resolved definition."""
        return hashlib.sha256(self.resolved().encode()).hexdigest()


class Pack(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A named, versioned list of checks."""

    format: Literal["workbench.pack/1"]
    id: str
    version: str
    about: str
    assertions: tuple[Definition, ...]

    @property
    def name(self) -> str:
        """Return id and version, as results name the pack."""
        return f"{self.id}@{self.version}"


def load_pack(name_or_path: str | Path) -> Pack:
    """Read and check a pack.

    Parameters
    ----------
    name_or_path : str or pathlib.Path
        The id of a bundled pack, or the path of a JSON file.

    Returns
    -------
    Pack
        With every parameter known to its kind.

    Raises
    ------
    UsageError
        When there is no such pack, or a field is wrong; the error names the field.

    Examples
    --------
    >>> [definition.kind for definition in load_pack("caller-experience").assertions][:2]
    ['misheard_number', 'misheard']
    """
    path = _find(name_or_path)
    where = str(name_or_path)
    try:
        pack = msgspec.convert(read_json(path), Pack)
    except msgspec.ValidationError as error:
        raise UsageError(str(error), where=where, hint="see the bundled pack caller-experience") from error
    if not pack.assertions:
        raise UsageError("the pack has no assertions", where=f"{where}: $.assertions", hint="add one")
    ids = [definition.id for definition in pack.assertions]
    for ix, definition in enumerate(pack.assertions):
        place = f"{where}: $.assertions[{ix}]"
        if ids.index(definition.id) != ix:
            raise UsageError(f"id {definition.id!r} is taken", where=f"{place}.id", hint="ids are unique")
        _check(definition, place)
    return pack


def _find(name_or_path: str | Path) -> Path:
    given = Path(name_or_path)
    bundled = folder("data") / "packs"
    if given.is_file():
        return given
    if given.name == str(name_or_path) and (bundled / f"{given.name}.json").is_file():
        return bundled / f"{given.name}.json"
    names = sorted(file.stem for file in bundled.glob("*.json"))
    raise UsageError(
        f"no pack {str(name_or_path)!r}",
        hint=f"bundled packs: {', '.join(names)}; or give the path of a JSON file",
    )


def _check(definition: Definition, place: str) -> None:
    kind: Kind | None = kinds().get(definition.kind)
    if not definition.id:
        raise UsageError("an id is empty", where=f"{place}.id", hint="name the assertion")
    if kind is None:
        near = get_close_matches(definition.kind, kinds(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"kinds: {', '.join(kinds())}"
        raise UsageError(f"no kind {definition.kind!r}", where=f"{place}.kind", hint=hint)
    if definition.escalations and kind.magnitude is None:
        raise UsageError(
            f"{definition.kind} has no magnitude to escalate by",
            where=f"{place}.escalations",
            hint="leave escalations out",
        )
    try:
        definition.settings(kind.parameters)
    except UsageError as error:
        raise UsageError(error.what, where=f"{place}.parameters", hint=error.hint) from error
