"""The one place a column is declared: type, unit, null rule, description, key, row rules.

:func:`tables` finds every table class by listing this folder, so a new file is all it takes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.schema.table import Table


@functools.cache
def tables() -> dict[str, type[Table]]:
    """Return every table class by its SQL name, in the order of the names.

    Returns
    -------
    dict of str to type
        Never empty; one dict for all, not to be changed.
    """
    import importlib
    import pkgutil

    from workbench.schema.table import Table

    found: dict[str, type[Table]] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, type) and issubclass(value, Table) and value is not Table:
                found[value.table()] = value
    return dict(sorted(found.items()))
