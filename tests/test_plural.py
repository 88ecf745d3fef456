"""One noun for one thing, wherever a number is said."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from workbench.plural import plural

ROOT = Path(__file__).parents[1]
NOUNS = (
    "answers|assertions|audits|authors|bytes|calls|candidates|channels|clips|columns|contracts|copies|entries|errors|"
    "events|files|findings|folders|frames|groups|incidents|inputs|labels|lines|members|moments|notes|pairs|"
    "problems|recordings|records|refusals|reports|roles|rows|runs|samples|snapshots|tables|times|turns|votes|words"
)
BETWEEN = "(?!from|join|of|are|reads)[a-z-]+ "  # SQL, and words that make another sentence of it
WRITTEN = re.compile(rf"^ (?:{BETWEEN})?(?:{NOUNS})\b")

ALWAYS_SEVERAL = {
    "workbench/analysis/incidents_channels.py: count channels": "of one channel nobody asks whose it is",
    "workbench/ingest/audio_file.py: count channels": "the same",
    "workbench/ingest/stated_channels.py: count channels": "the same",
    "workbench/ingest/stated_channels.py: count roles": "the same",
    "workbench/ingest/intake/folder_parts.py: len(problems) files": "of one file its own problem is said",
    "workbench/ingest/intake/plausibility.py: words words": "three words at least",
    "workbench/ingest/intake/plausibility.py: len(starts) turns": "two turns at least",
    "workbench/report/one_snapshot.py: worst moments": "fewer than none",
    "workbench/analysis/timing_survival.py: FEW moments": "a constant, ten",
    "workbench/stats/resampling.py: NARROW_CLUSTERS calls": "a constant, forty",
    "workbench/audio/wav.py: count channels": "said of more than 64",
    "workbench/timing/same_moment.py: label_count labels": "two labels a moment at least",
    "workbench/cli/diff.py: count runs": "said of more than one",
}


def test_one_thing_has_no_s() -> None:
    assert [plural(n, "call") for n in (0, 1, 2, 21590)] == ["0 calls", "1 call", "2 calls", "21,590 calls"]
    assert [plural(n, "stretch", many="stretches") for n in (1, 3)] == ["1 stretch", "3 stretches"]


def written(path: Path) -> list[str]:
    """Return the nouns that stand behind a value in the f-strings of a file, with an s whatever the value is."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    said = WRITTEN.match(str(after.value))
                    if said:
                        found.append(f"{ast.unparse(value.value)}{said[0]}")
    return found


def test_no_message_writes_the_noun_of_several_behind_any_number() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {noun}"
        for folder in ("workbench", "notebooks")
        for path in (ROOT / folder).rglob("*.py")
        for noun in written(path)
    }
    assert found == ALWAYS_SEVERAL.keys()


def test_no_page_writes_the_noun_of_several_behind_any_number() -> None:
    behind = re.compile(rf"\}}\}} (?:[a-z-]+ )?(?:{NOUNS})\b.{{0,20}}")
    found = {
        f"{path.name}: {said}"
        for path in (ROOT / "workbench/report/templates").glob("*.j2")
        for said in behind.findall(path.read_text(encoding="utf-8"))
    }
    print("\n".join(sorted(found)))
    assert not found
