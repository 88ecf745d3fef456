"""The argument that tells one tool call from another, fit to be shown."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl

from workbench.assertions.actions import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 40
_ID = re.compile(r"(^|_|(?<=[a-z]))(id|Id|ID)$")
_PRIVATE = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|authori[sz]ation|cookie|signature|api_?key|access_?key|private_?key"
    r"|cvv|cvc|(^|[_ ])(pin|ssn|key|otp)($|[_ ])|security",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"card|account|iban", re.IGNORECASE)
_FOUR_DIGITS = re.compile(r"(\d\D?){4}")
_KEY_SHAPED = re.compile(
    r"-----BEGIN|^(sk|rk|pk)[-_]|^(AKIA|ASIA)[0-9A-Z]{12}|^AIza|^xox[a-z]-|^(gh[pousr]_|github_pat_|glpat-|hf_)|^eyJ"
    r"|^(Bearer|Basic) |^\[stripped\]$|://",
    re.IGNORECASE,
)
_LONG = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/_=.~-]{24,}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CARD = re.compile(r"\d(?:[ .-]?\d){11,18}")
_SOCIAL_SECURITY = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")


def identifying(arguments: pl.Series) -> pl.DataFrame:
    """Return for each distinct text of arguments the one that names the action.

    It is ``id``, else the first whose name ends in it (``order_id``, ``reservationId``), else the first
    number or text. What could be a secret, or the number of a card or account, by its name or its value, is
    passed over.

    Parameters
    ----------
    arguments : polars.Series
        JSON texts, null allowed.

    Returns
    -------
    polars.DataFrame
        arguments, named_by (name and value, the value cut to `LONGEST` characters; null where there is none).
    """
    distinct = arguments.unique().drop_nulls().sort().to_list()
    return pl.DataFrame(
        {"arguments": distinct, "named_by": [_named_by(decoded(text)) for text in distinct]},
        schema={"arguments": pl.String, "named_by": pl.String},
    )


def _named_by(document: Any) -> str | None:
    if not isinstance(document, dict):
        return None
    fit = list(_fit(document))
    ranked = sorted(fit, key=lambda pair: (pair[0].lower() != "id", not _ID.search(pair[0])))
    return " ".join(ranked[0]) if ranked else None


def _fit(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield name and shown value of each number and text that may be shown."""
    for name, value in document.items():
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            continue
        text = " ".join(str(value).split())
        numbered = _NUMBERED.search(name) and _FOUR_DIGITS.search(text)
        if text and not numbered and not _PRIVATE.search(name) and not _looks_private(text):
            yield _cut(name), _cut(text)


def _looks_private(text: str) -> bool:
    if _UUID.fullmatch(text):
        return False
    return any(shape.search(text) for shape in (_KEY_SHAPED, _LONG, _CARD, _SOCIAL_SECURITY))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
