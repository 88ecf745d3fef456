"""Verdicts over calls: definitions and rows in, `assertion_results` out. No files written, no clock.

A pack (data) says what is checked and how bad a failure is; a kind (code, one file in `checks/`) says how.

>>> from workbench.assertions import kinds
>>> "slow_response" in kinds()
True
"""

from __future__ import annotations

from workbench.assertions.compare import Diff, compare_runs
from workbench.assertions.pack import Definition, Pack, load_pack
from workbench.assertions.registry import Kind, kinds
from workbench.assertions.rows import Rows
from workbench.assertions.run import run_pack

__all__ = ["Definition", "Diff", "Kind", "Pack", "Rows", "compare_runs", "kinds", "load_pack", "run_pack"]
