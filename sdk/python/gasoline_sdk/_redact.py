"""Secrets become pseudonyms before they leave the process. The daemon looks again, with more rules."""

from __future__ import annotations

import functools
import os
import re
from typing import Any, Dict, List, Match, Optional, Pattern, Tuple
from urllib.parse import unquote_plus

from . import _rules

_M = 0xFFFFFFFF
_NAMES: Dict[str, str] = {}
for _name in _rules.SECRET_NAMES:
    _NAMES[_name] = _name
for _name in _rules.SECRET_NAMES:
    _NAMES.setdefault(_name.replace("_", ""), _name)
_PLAIN = frozenset(_rules.PLAIN_NAMES)
_HEADERS = frozenset(_rules.SECRET_HEADERS)
_PUBLIC = frozenset(_rules.PUBLIC_HEADERS)


def _fnv(text: str) -> int:
    h = 0x811C9DC5
    data = text.encode("utf-16-le", "surrogatepass")
    for i in range(0, len(data), 2):
        h = ((h ^ (data[i] | data[i + 1] << 8)) * 0x01000193) & _M
    return h


def _mix(h: int) -> int:
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & _M
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & _M
    return h ^ (h >> 16)


_key = _fnv(os.urandom(8).hex())


def mask(kind: str, value: str, key: Optional[int] = None) -> str:
    """Return the pseudonym of a secret: 32 bits of a keyed hash. Equal secrets get equal ones in one process."""
    return "<%s:%08x>" % (kind, _mix(_mix(_fnv(value)) ^ (_key if key is None else key)))


_upper = re.compile(r"(?<=[^A-Z_-])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_other = re.compile(r"[^a-z0-9]+")


def _words(name: str) -> str:
    text = _upper.sub("_", name[-64:]).lower()
    return _other.sub("_", text).strip("_").rstrip("0123456789").rstrip("_")


_known: Dict[str, str] = {}


def secret_name(name: str) -> str:
    """Return the entry of the list that a field's name passes by, or ""."""
    found = _known.get(name)
    if found is None:
        found = _secret_name(name)
        if len(_known) < 2000 and len(name) <= 64:
            _known[name] = found
    return found


def _secret_name(name: str) -> str:
    if "[" in name:  # user[password][0]
        for part in name.replace("]", "").split("["):
            kind = _secret_name(part) if part else ""
            if kind:
                return kind
        return ""
    rest = word = _words(name)
    hit = ""
    while rest:
        if rest in _PLAIN:
            return ""
        if not hit and _NAMES.get(rest) == rest:
            hit = rest
        _, _, rest = rest.partition("_")
    return hit or _NAMES.get(word.replace("_", ""), "")


def secret_header(name: str) -> str:
    """Return the kind of a header whose value is a secret, or ""."""
    name = name.lower()
    if name in _PUBLIC:
        return ""
    if name in _HEADERS:
        return name.replace("-", "_")
    if name.endswith(_rules.HEADER_ENDS):
        return "secret"
    return secret_name(name)


def header(name: str, value: str) -> str:
    """Return what of a header may be sent."""
    kind = secret_header(name)
    if not kind:
        return text(value)
    if _masked(value) or value == "true":  # access-control-allow-credentials
        return value
    scheme, space, rest = value.partition(" ")
    if space and kind.endswith("authorization") and len(scheme) < 12:
        return scheme + " " + mask(kind, rest)
    return mask(kind, value)


def _masked(value: str) -> bool:
    return len(value) > 4 and value[0] == "<" and value[-1] == ">"


def secret_field(name: str) -> str:
    """Return the kind of secret that an attribute of this name holds, "" for none."""
    last = name.rpartition(".")[2]
    kind = secret_name(last)
    if not kind and ".header." in name:
        kind = secret_header(last)
    return kind


def secret(kind: str, value: str) -> str:
    """Return the pseudonym of a secret, unless there is none or it is one already."""
    return value if not value or _masked(value) else mask(kind, value)


def query(form: str) -> str:
    """Mask the values of secret names in a=1&b=2."""
    out: List[str] = []
    for part in form.split("&"):
        name, equals, value = part.partition("=")
        kind = secret_name(unquote_plus(name)) if value else ""
        if kind and not _masked(value):
            out.append(name + "=" + mask(kind, value))
        else:
            out.append(name + equals + text(value))
    return "&".join(out)


def url(address: str) -> str:
    """Return an address without user, password and fragment, its query masked."""
    address = address.partition("#")[0]
    scheme, sep, rest = address.partition("://")
    if sep:
        host, slash, path = rest.partition("/")
        address = scheme + sep + host.rpartition("@")[2] + slash + path
    base, mark, form = address.partition("?")
    return text(base) + (mark + query(form) if mark else "")


# What may hide a secret: a sign between a name and a value, a scheme, a long word, digits as of a card.
_gate = re.compile(r"[=:]|-----B|(?i:bearer |basic )|[A-Za-z0-9_./+-]{16}|\d{14}|\d{4}[ -]\d")
_sign = re.compile(r"[=:]")
_before = re.compile(r"([<$]?)([A-Za-z][\w\-\[\]]{1,63})\\?[\"']? {0,4}\Z")
_bare = re.compile(r"[^\s\"',;&)}\]<>]+")
_quoted = {q: re.compile(r"(?:[^%s\\]|\\.)*" % q, re.DOTALL) for q in "\"'"}
_escaped = {q: re.compile(r"[^%s\\]*" % q) for q in "\"'"}
_spaces = re.compile(r"[ \t=]*")
_word_of_scheme = re.compile(r"(?:bearer|basic) ", re.IGNORECASE)
_userinfo = re.compile(r"(?<=://)[^\s/?#\"'<>,)]{1,512}(?=@)")
_scheme = re.compile(r"\b(bearer|basic) ([A-Za-z0-9_+/=.~-]*\d[A-Za-z0-9_+/=.~-]*)", re.IGNORECASE)
_private = re.compile(r"-----BEGIN [A-Z ]{0,50}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [^-]{0,64}-----|\Z)", re.DOTALL)
_card = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){13,15}(?!\w|\.\d|-\d)")
_word = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9_][A-Za-z0-9_./+:-]{15,}")
_NOTHING = frozenset(("null", "undefined", "none", "nil", "nan", "true", "false"))
_STRONG = ("password", "secret", "passwd", "pwd")

_formats: Dict[str, List[Tuple[str, Any, str]]] = {}
for _kind, _prefix, _expression, _check in _rules.FORMATS:
    _formats.setdefault(_prefix[:3], []).append((_kind, _expression, _check))
_compiled: Dict[str, List[Tuple[str, Pattern[str], str]]] = {}


def _formats_of(prefix: str) -> List[Tuple[str, Pattern[str], str]]:
    found = _compiled.get(prefix)
    if found is None:
        found = [(kind, re.compile(expression), check) for kind, expression, check in _formats[prefix]]
        _compiled[prefix] = found
    return found


def text(s: str) -> str:
    """Replace secrets that show by a name before them or by their own form."""
    return _short(s) if len(s) <= 128 else _text(s)


def _text(s: str) -> str:
    if len(s) < 6 or _gate.search(s) is None:
        return s
    if "=" in s or ":" in s:
        s = _replace_assigned(s)
    if "-----BEGIN " in s:
        s = _private.sub(lambda m: mask("private_key", m.group()), s)
    if "://" in s:
        s = _userinfo.sub(lambda m: mask("credentials", m.group()), s)
    s = _scheme.sub(_replace_scheme, s)
    s = _word.sub(_replace_word, s)
    return _card.sub(_replace_card, s)


_short = functools.lru_cache(1024)(_text)  # paths, routes and hosts come again and again


def _replace_assigned(s: str) -> str:
    """Mask values behind a secret name and a sign."""
    out: List[str] = []
    done = at = 0
    while True:
        sign = _sign.search(s, at)
        if sign is None:
            return "".join(out) + s[done:] if done else s
        at = sign.end()
        found = _assigned(s, sign.start())
        if found:
            kind, start, end = found
            out += (s[done:start], mask(kind, s[start:end]))
            done = at = end


def _assigned(s: str, i: int) -> Optional[Tuple[str, int, int]]:
    """Return where the value stands that is given to a secret name before the sign at i, and the name's kind."""
    before = _before.search(s[max(0, i - 72) : i])
    if before is None or before.group(1) == "$":
        return None  # a variable's type follows, mostly
    kind = secret_name(before.group(2))
    if not kind:
        return None
    start = _spaces.match(s, i + 1).end()  # type: ignore[union-attr]
    escaped = s[start : start + 1] == "\\"
    start += escaped
    quote = s[start : start + 1]
    if quote == "":
        return None
    if quote in "\"'":
        start += 1
        if s[start : start + 1] in (",", ")", "]", "}", ":"):
            return None  # the quote closes a string that ends with the name
        end = (_escaped if escaped else _quoted)[quote].match(s, start).end()  # type: ignore[union-attr]
        value = s[start:end]
        return (kind, start, end) if value and not _masked(value) else None
    scheme = _word_of_scheme.match(s, start)
    if scheme:
        start = scheme.end()
    bare = _bare.match(s, start)
    if bare is None:
        return None
    value, end = bare.group(), bare.end()
    if "(" in value or "$" in value or value.lower() in _NOTHING:
        return None
    if before.group(1) == "<" and s[end : end + 1] == ">":
        return None  # a pseudonym
    digit = any(c in "0123456789" for c in value)
    if s[i] == ":" and not kind.endswith(_STRONG) and not (len(value) >= 4 and digit):
        return None  # "token: expired"
    if s[i] == "=" and s[i + 1 : i + 2] == " " and not digit:
        return None  # "token = next"
    return kind, start, end


def _replace_scheme(m: Match[str]) -> str:
    if len(m.group(2)) < 8:
        return m.group()
    return m.group(1) + " " + mask(m.group(1).lower(), m.group(2))


def _replace_word(m: Match[str]) -> str:
    word = m.group()
    out: List[str] = []
    done = at = 0
    while at + 3 <= len(word):
        begins = at == 0 or not (word[at - 1].isalnum() or word[at - 1] == "_")
        hit = _format_at(word, at) if begins and word[at : at + 3] in _formats else None
        if hit:
            kind, start, end = hit
            out += (word[done:start], mask(kind, word[start:end]))
            done = at = end
        else:
            at += 1
    return "".join(out) + word[done:]


def _format_at(word: str, at: int) -> Optional[Tuple[str, int, int]]:
    for kind, expression, check in _formats_of(word[at : at + 3]):
        m = expression.match(word, at)
        if not m:
            continue
        start, end = m.span("secret")
        if "exact" in check and end < len(word) and (word[end].isalnum() or word[end] == "_"):
            continue
        if ("mixed" in check or "digit" in check) and not any(c.isdigit() for c in word[start:end]):
            continue
        return kind, start, end
    return None


def _replace_card(m: Match[str]) -> str:
    digits = [int(c) for c in m.group() if c.isdigit()]
    two = digits[0] * 10 + digits[1]
    n = len(digits)
    if n == 16:
        known = digits[0] == 4 or 51 <= two <= 55 or 22 <= two <= 27 or two in (35, 60, 62, 65)
    elif n == 15:
        known = two in (34, 37)
    else:
        known = two in (30, 36, 38)
    if not known:
        return m.group()
    total = 0
    for i, d in enumerate(reversed(digits)):
        if i % 2:
            d = d * 2 - 9 if d > 4 else d * 2
        total += d
    return mask("card", m.group()) if total % 10 == 0 else m.group()
