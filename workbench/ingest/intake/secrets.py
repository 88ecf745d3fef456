"""What a secret looks like: signed addresses, key-shaped strings, long values under telling names."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from workbench.ingest.intake.valid_text import valid

STRIPPED: Final = "[stripped]"

MARKS: Final = (
    *(
        b"://",
        b"sk-",
        b"sk_",
        b"rk-",
        b"rk_",
        b"pk-",
        b"pk_",
        b"akia",
        b"asia",
        b"aiza",
        b"xox",
        b"ghp_",
        b"gho_",
        b"ghu_",
        b"ghs_",
        b"ghr_",
        b"github_pat_",
        b"glpat-",
    ),
    *(
        b"hf_",
        b"sg.",
        b"eyj",
        b"private",
        b"bearer ",
        b"basic ",
        b"passw",
        b"passphrase",
        b"pwd",
        b"secret",
        b"key",
    ),
    *(b"credential", b"token", b"authorization", b"cookie", b"signature"),
)
"""Text in lower case without any of these holds no secret that is looked for here."""

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>\\]+", re.IGNORECASE)
_SIGNED = re.compile(
    r"^(x-amz-.*|x-goog-.*|x-oss-.*|x-ms-.*|awsaccesskeyid|googleaccessid|ossaccesskeyid|key-pair-id|signature"
    r"|sig|sign|policy|hmac|jwt|auth|authorization|code|key|pass|pwd|.*token.*|.*secret.*|.*passw.*"
    r"|.*api[-_]?key.*|.*signature.*|.*credential.*)$",
    re.IGNORECASE,
)
_KEY_SHAPED = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|rk|pk)[-_](?:[A-Za-z]{2,12}[-_]){0,2}[A-Za-z0-9_-]*[A-Za-z0-9]{12,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{35}"
    r"|\bxox[a-z]-[A-Za-z0-9-]{10,}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|hf_)[A-Za-z0-9_-]{16,}"
    r"|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|(?:(?<=\bBearer )|(?<=\bbearer )|(?<=\bBasic )|(?<=\bbasic ))[A-Za-z0-9._~+/=-]{16,}",
    re.DOTALL,
)
_ALWAYS = re.compile(r"(passw(or)?d|passphrase|pwd|secret|(private|api|access)[-_ ]?key|credentials?)$", re.IGNORECASE)
_WHEN_LONG = re.compile(r"key|token|authorization|cookie|signature|passw|secret|credential", re.IGNORECASE)
_LONG = re.compile(r"^(?:(?:Bearer|Basic|Token) )?(?=.*[0-9])[A-Za-z0-9+/_=.~-]{16,}$", re.IGNORECASE)


def strip_text(text: str) -> tuple[str, int]:
    """Replace key-shaped strings, the query of signed addresses and the user part of any address.

    Parameters
    ----------
    text : str
        Any text, spoken words included. An address without a signature or user keeps its query.

    Returns
    -------
    tuple of str and int
        The text with ``[stripped]`` for each key and query, and how many places were changed.
    """
    count = 0

    def strip_url(match: re.Match[str]) -> str:
        nonlocal count
        stripped = _strip_url(match.group())
        count += stripped != match.group()
        return stripped

    if "://" in text:
        text = _URL.sub(strip_url, text)
    text, keys = _KEY_SHAPED.subn(STRIPPED, text)
    return text, count + keys


def _strip_url(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # not an address after all, such as a bracket without its pair
        return url
    host = parts.netloc.rpartition("@")[2]
    query = f"?{_strip_query(parts.query)}" if parts.query else ""
    fragment = f"#{_strip_query(parts.fragment)}" if parts.fragment else ""
    return f"{url[: url.index('://')]}://{host}{parts.path}{query}{fragment}"


def _strip_query(query: str) -> str:
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    return STRIPPED if any(_SIGNED.match(name) for name in names) else query


def strip_value(value: Any, name: str = "") -> tuple[Any, int]:
    """Strip every text of a JSON value.

    Parameters
    ----------
    value : object
        dict, list or scalar, as JSON gives it.
    name : str, default ''
        Key it stands under. Under a name that ends in password, secret or API key any text is stripped,
        under another key or token a text of at least 16 letters and digits.

    Returns
    -------
    tuple of object and int
        The very same object when nothing was stripped, and the number of places.
    """
    if isinstance(value, str):
        return _strip_named(value, name)
    if isinstance(value, dict):
        stripped: dict[Any, Any] = {}
        total = 0
        for key, inner in value.items():
            clean_key, at_key = strip_text(key) if isinstance(key, str) else (key, 0)
            stripped[clean_key], inside = strip_value(inner, str(key))
            total += at_key + inside
        return (stripped, total) if total else (value, 0)
    if isinstance(value, list):
        items = [strip_value(inner, name) for inner in value]
        total = sum(count for _, count in items)
        return ([item for item, _ in items], total) if total else (value, 0)
    return value, 0


def _strip_named(text: str, name: str) -> tuple[str, int]:
    if text == STRIPPED:
        return text, 0
    if (text and _ALWAYS.search(name)) or (_WHEN_LONG.search(name) and _LONG.match(text)):
        return STRIPPED, 1
    if text[:1] in ("{", "["):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):  # plain text that happens to begin with a bracket
            return strip_text(text)
        clean, count = strip_value(inner, name)
        return (valid(json.dumps(clean, ensure_ascii=False)), count) if count else (text, 0)
    return strip_text(text)
