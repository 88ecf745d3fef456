"""What the README tells a reader to write in a checkout leaves `git status` clean."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_the_readme_writes_is_ignored() -> None:
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL))
    said = re.findall(r"(?:--archive|--store|-o|workbench export|workbench unpack)\s+([\w./-]+)", blocks)
    written = sorted({name for name in said if not name.startswith("-")})
    assert {"my.archive", "report.html"} <= set(written)
    seen = [name for name in written if _seen(name)]
    assert seen == []


def _seen(name: str) -> bool:
    """Whether git would list it: a folder is ignored by what lies in it."""
    inside = f"{name}/x" if "." not in name.rpartition("/")[2] or name.endswith((".archive", ".contract")) else name
    done = subprocess.run(["git", "check-ignore", "-q", inside], cwd=ROOT, check=False)
    return done.returncode != 0
