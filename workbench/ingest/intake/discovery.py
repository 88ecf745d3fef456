"""Finds the importers: every module of `workbench/ingest` that has what an importer has."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import cast

from workbench.ingest.protocol import Importer

ATTRIBUTES = ("FORMAT", "ABOUT", "CLAIMS", "sniff", "read")


@functools.cache
def importers() -> dict[str, Importer]:
    """Return every importer by its format, in the order of the formats.

    Returns
    -------
    dict of str to Importer
        Never empty. Adding a module with `FORMAT`, `ABOUT`, `CLAIMS`, `sniff` and `read` is all it takes.
    """
    import workbench.ingest as package

    found: dict[str, Importer] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if all(hasattr(module, name) for name in ATTRIBUTES):
            importer = cast("Importer", module)
            found[importer.FORMAT] = importer
    return dict(sorted(found.items()))
