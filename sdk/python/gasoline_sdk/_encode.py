"""Records as OTLP/JSON. Secrets are replaced here, in the sender's thread.

The text is put together by hand: it takes the interpreter from the program for half as long as json.dumps of dicts does.
"""

from __future__ import annotations

import base64
import math
import time
from json.encoder import encode_basestring as quote
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _redact
from ._queue import RANKS, WARN, Log, Span

SCOPE = "gasoline"
_MAX_DEPTH = 6
_MAX_NAMES = 1024
_ADDRESSES = {"url.query": _redact.query, "url.full": _redact.url}

Name = Tuple[str, str, Optional[Callable[[str], str]]]
_names: Dict[str, Name] = {}


def _learn(name: str) -> Name:
    """Return how a pair of this name begins, which secret its value is, and what masks it where it is an address."""
    found = ('{"key":%s,"value":' % quote(name), _redact.secret_field(name), _ADDRESSES.get(name))
    if len(_names) >= _MAX_NAMES:
        _names.clear()
    _names[name] = found
    return found


def value(name: str, v: Any) -> str:
    """Return an AnyValue. name says whether the value is a secret."""
    known = _names.get(name) or _learn(name)
    return _value(known, v, 0)


def _value(known: Name, v: Any, depth: int) -> str:
    kind = type(v)
    if kind is str:
        if known[1]:
            v = _redact.secret(known[1], v)
        elif known[2] is not None:
            v = known[2](v)
        else:
            v = _redact.text(v)
        return '{"stringValue":%s}' % quote(v)
    if v is None:
        return "{}"
    if isinstance(v, bool):
        return '{"boolValue":true}' if v else '{"boolValue":false}'
    if isinstance(v, (list, tuple)):
        if depth >= _MAX_DEPTH:
            return '{"stringValue":"…"}'
        return '{"arrayValue":{"values":[%s]}}' % ",".join([_value(known, item, depth + 1) for item in v[:64]])
    if isinstance(v, dict):
        if depth >= _MAX_DEPTH:
            return '{"stringValue":"…"}'
        return '{"kvlistValue":{"values":%s}}' % pairs(dict(list(v.items())[:64]), depth + 1)
    if known[1] and isinstance(v, (int, bytes)):
        plain = v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v)
        return '{"stringValue":%s}' % quote(_redact.secret(known[1], plain))
    if isinstance(v, int):
        if -(1 << 63) <= v < 1 << 63:
            return '{"intValue":"%d"}' % v
        return '{"stringValue":"%s"}' % (int(v) if v.bit_length() < 8192 else hex(v)[:1024])
    if isinstance(v, float):
        if math.isfinite(v):
            return '{"doubleValue":%s}' % float.__repr__(v)
        return '{"doubleValue":"%s"}' % ("NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity")
    if isinstance(v, bytes):
        return '{"bytesValue":"%s"}' % base64.b64encode(v).decode()
    try:
        plain = str.__str__(str(v))  # of a subclass too
    except Exception:
        plain = "(its text cannot be made)"
    return _value(known, plain, depth)


def pairs(attributes: Dict[str, Any], depth: int = 0) -> str:
    """Return a list of KeyValue."""
    out = []
    for k, v in attributes.items():
        name = k if type(k) is str else str(k)
        known = _names.get(name) or _learn(name)
        out.append(known[0] + _value(known, v, depth) + "}")
    return "[" + ",".join(out) + "]"


def _severity(level: int) -> int:
    """Return OpenTelemetry's number of a level of logging."""
    if level >= 40:
        return 21 if level >= 50 else 17
    if level >= 20:
        return 13 if level >= 30 else 9
    return 5 if level >= 10 else 1


def _log(r: Log) -> str:
    out = '{"timeUnixNano":"%d","severityNumber":%d,"severityText":%s,"body":{"stringValue":%s}' % (
        r.time * 1e9, _severity(r.levelno), quote(r.level), quote(_redact.text(r.text)))
    attributes = r.attributes
    if r.path:
        place: Dict[str, Any] = {"code.file.path": r.path, "code.line.number": r.line}
        if attributes:
            place.update(attributes)
        attributes = place
    if attributes:
        out += ',"attributes":' + pairs(attributes)
    if r.left:
        out += ',"droppedAttributesCount":%d' % r.left
    if r.trace:
        out += ',"traceId":"%s","flags":1' % r.trace
        if r.span:
            out += ',"spanId":"%s"' % r.span
    return out + "}"


def _span(r: Span) -> str:
    out = '{"traceId":"%s","spanId":"%s","flags":1,"name":%s,"kind":%d,"startTimeUnixNano":"%d","endTimeUnixNano":"%d"' % (
        r.trace, r.span, quote(_redact.text(r.name)), r.kind, r.time, r.end)
    out += ',"attributes":' + pairs(r.attributes)
    if r.parent:
        out += ',"parentSpanId":"%s"' % r.parent
    if r.state:
        out += ',"traceState":' + quote(r.state)
    if r.left:
        out += ',"droppedAttributesCount":%d' % r.left
    if r.events:
        out += ',"events":[%s]' % ",".join([
            '{"timeUnixNano":"%d","name":%s,"attributes":%s}' % (at, quote(name), pairs(attributes))
            for at, name, attributes in r.events
        ])
    if r.failed:
        out += ',"status":{"code":2,"message":%s}' % quote(_redact.text(r.text))
    return out + "}"


def _dropped(dropped: List[int]) -> str:
    total = sum(dropped)
    attributes: Dict[str, Any] = {"event.name": "gasoline.dropped", "gasoline.dropped": total}
    for name, n in zip(RANKS, dropped):
        if n:
            attributes["gasoline.dropped." + name] = n
    text = "%d records of this service were dropped: more came than could be sent" % total
    return _log(Log(WARN, time.time(), 30, "WARN", SCOPE, text, "", 0, attributes, 0, "", ""))


_SLICE = 16  # records


def _yield(done: int) -> None:
    """Leave the interpreter to the program for a moment: else its threads wait for a whole batch."""
    if done % _SLICE == 0:
        time.sleep(0.00005)


def logs(resource: Dict[str, Any], records: List[Log], dropped: List[int]) -> bytes:
    """Return a request for logs. What was dropped stands in a log of its own."""
    scopes: Dict[str, List[str]] = {}
    for done, r in enumerate(records):
        _yield(done)
        scopes.setdefault(r.scope, []).append(_log(r))
    if sum(dropped):
        scopes.setdefault(SCOPE, []).append(_dropped(dropped))
    scope_logs = ",".join([
        '{"scope":{"name":%s},"logRecords":[%s]}' % (quote(name), ",".join(found)) for name, found in scopes.items()
    ])
    out = '{"resourceLogs":[{"resource":{"attributes":%s},"scopeLogs":[%s]}]}' % (pairs(resource), scope_logs)
    return out.encode("utf-8", "replace")


def spans(resource: Dict[str, Any], records: List[Span]) -> bytes:
    """Return a request for spans."""
    found = []
    for done, r in enumerate(records):
        _yield(done)
        found.append(_span(r))
    out = '{"resourceSpans":[{"resource":{"attributes":%s},"scopeSpans":[{"scope":{"name":"%s"},"spans":[%s]}]}]}' % (
        pairs(resource), SCOPE, ",".join(found))
    return out.encode("utf-8", "replace")
