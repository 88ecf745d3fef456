"""Templates to one HTML file: every text is made visible and escaped; the policy lets nothing in or out."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.charts.speech_bars import PALE, RULE
from workbench.decimals import percent, proportion
from workbench.plural import plural
from workbench.report import wording
from workbench.text.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).resolve().parent / "templates"


def render(template: str, **facts: Any) -> str:
    """Return a whole page.

    Parameters
    ----------
    template : str
        File of `templates/` that extends `page.html.j2`.
    **facts : object
        What it shows. Texts may come from anyone: their hidden characters are named, and they are escaped.

    Returns
    -------
    str
        HTML with one style sheet and one script inside, and a content security policy that allows these two
        by their hashes, sound and pictures from the file itself, and nothing else.
    """
    from markupsafe import Markup

    style, script = (_asset("report.css"), _asset("report.js"))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; media-src data:; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page: str = (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - our own files
            script=Markup(script),  # noqa: S704 - our own files
            policy=Markup(policy),  # noqa: S704 - our own files
            **facts,
        )
    )
    return page


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_shown,
    )
    for name in ("seconds", "clock", "bounds", "short", "plainly", "rate_words", "noted"):
        environment.filters[name] = getattr(wording, name)
    environment.filters |= {"many": plural, "percent": percent, "proportion": proportion}
    environment.filters["coded"] = _coded
    environment.globals["bars"] = {"rule": RULE, "pale": PALE}
    return environment


def _shown(value: Any) -> Any:
    """Run on everything a template prints: plain text is made visible, what is markup already stays."""
    return visible(value) if type(value) is str else value


def _coded(text: str) -> Markup:
    """Return a text of ours with what stands between backticks as code."""
    from markupsafe import Markup, escape

    parts = [escape(visible(part)) for part in text.split("`")]
    whole = Markup("").join(Markup("<code>{}</code>").format(part) if ix % 2 else part for ix, part in enumerate(parts))
    return whole if len(parts) % 2 else escape(visible(text))


def _asset(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
