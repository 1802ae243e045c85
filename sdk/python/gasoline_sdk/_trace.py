"""Spans, and the context that travels with a request by W3C Trace Context."""

from __future__ import annotations

import os
import re
import sys
import time
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type

from . import _queue
from ._queue import ERROR, WARN

if TYPE_CHECKING:
    from ._client import Client

INTERNAL, SERVER, CLIENT = 1, 2, 3  # as OTLP numbers kinds
MAX_ATTRIBUTES = 64
MAX_EVENTS = 16
MAX_TEXT = 16 << 10

# A tracer of OpenTelemetry's SDK has spans of this process: then there are none of ours, and traces travel by it.
elsewhere = False

_header = re.compile(r"\A([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?\Z", re.DOTALL)


def trace_id() -> str:
    return os.urandom(16).hex()


def span_id() -> str:
    return os.urandom(8).hex()


def clip(s: str, most: int = MAX_TEXT) -> str:
    """Cut a text to at most so many characters."""
    return s if len(s) <= most else s[:most] + "…"


def whole_members(state: str) -> str:
    """Cut a tracestate behind the last member that fits in 512: half a member would be another one to who wrote it."""
    return state if len(state) <= 512 else state[: max(0, state.rfind(",", 0, 513))]


class Context:
    """What travels between services. trace is "" when there is none."""

    __slots__ = ("own", "sampled", "server", "span", "state", "trace")

    def __init__(self, trace: str = "", span: str = "", sampled: bool = True, state: str = "", own: bool = False):
        self.trace, self.span, self.sampled, self.state = trace, span, sampled, state
        self.own = own  # in production: the request is the developer's own
        self.server: Optional["Span"] = None

    def traceparent(self) -> str:
        return "00-%s-%s-%s" % (self.trace, self.span, "01" if self.sampled else "00")


current: ContextVar[Optional[Context]] = ContextVar("gasoline", default=None)


def parse_traceparent(value: Optional[str]) -> Optional[Context]:
    """Return what a traceparent header says, None for what is none."""
    m = _header.match(value.strip()) if value else None
    if not m:
        return None
    version, trace, span, flags, rest = m.groups()
    if version == "ff" or (version == "00" and rest) or not trace.strip("0") or not span.strip("0"):
        return None
    return Context(trace, span, bool(int(flags, 16) & 1))


def running() -> Optional[Context]:
    """Return the context of what runs now, None when nothing does."""
    if not elsewhere:
        return current.get()
    try:
        found = sys.modules["opentelemetry.trace"].get_current_span().get_span_context()
        if found.is_valid:
            return Context("%032x" % found.trace_id, "%016x" % found.span_id, found.trace_flags.sampled)
    except Exception:
        pass
    return None


def current_traceparent() -> str:
    """Return the header's value for what runs now, "" when nothing does."""
    context = running()
    return context.traceparent() if context and context.trace else ""


def type_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__qualname__


def message_of(error: BaseException) -> str:
    try:
        return clip(str(error))
    except Exception:
        return "(its text cannot be made)"


def exception_attributes(
    kind: Type[BaseException], error: Optional[BaseException], tb: Optional[TracebackType]
) -> Dict[str, Any]:
    """Return an exception as OpenTelemetry's attributes."""
    out: Dict[str, Any] = {"exception.type": type_name(error) if error else kind.__name__}
    out["exception.message"] = message_of(error) if error else ""
    try:
        import traceback

        out["exception.stacktrace"] = clip("".join(traceback.format_exception(kind, error, tb, limit=-50)))
    except Exception:
        out["exception.stacktrace"] = ""
    return out


class Span:
    """An operation that has begun. It ends by end(), or as a context manager."""

    __slots__ = (
        "_attributes", "_client", "_done", "_events", "_failed", "_kind", "_left", "_monotonic", "_name", "_parent",
        "_reason", "_start", "_token", "context",
    )

    def __init__(self, client: "Client", name: str, kind: int, parent: Optional[Context], attributes: Dict[str, Any]):
        self._client = client
        self._name = name
        self._kind = kind
        self._attributes = attributes
        self._events: List[Tuple[int, str, Dict[str, Any]]] = []
        self._failed = self._done = False
        self._reason = ""
        self._left = 0
        self._start = time.time_ns()
        self._monotonic = time.perf_counter_ns()
        self._token: Any = None
        self._parent = parent.span if parent and parent.trace else ""
        trace = parent.trace if parent and parent.trace else trace_id()
        self.context = Context(trace, span_id(), True, parent.state if parent else "", bool(parent and parent.own))
        self.context.server = self if kind == SERVER else parent.server if parent else None

    def came_with(self, traceparent: str) -> bool:
        """Say whether a header names the span's own parent."""
        found = parse_traceparent(traceparent)
        return found is not None and (found.trace, found.span) == (self.context.trace, self._parent)

    def set(self, name: str, value: Any) -> None:
        """Set an attribute. The 65th and later ones are counted and left out."""
        if name not in self._attributes and len(self._attributes) >= MAX_ATTRIBUTES:
            self._left += 1
            return
        self._attributes[name] = value

    def rename(self, name: str) -> None:
        """Change the name."""
        self._name = name

    def fail(self, reason: str = "") -> None:
        """Mark the span as failed."""
        self._failed, self._reason = True, reason

    def error(self, error: BaseException, escaped: bool = False) -> None:
        """Record an exception and mark the span as failed. escaped: nobody in the program caught it."""
        self.fail(message_of(error))
        if len(self._events) >= MAX_EVENTS:
            self._left += 1
            return
        attributes = exception_attributes(type(error), error, error.__traceback__)
        if escaped:
            attributes["exception.escaped"] = True
        self._events.append((time.time_ns(), "exception", attributes))

    def failed_later(self, error: Exception) -> None:
        """Record what nobody caught after the span ended, below it."""
        after = self._client.begin(self._name + " (after the answer)", INTERNAL, {}, self.context)
        if after is not None:
            after.error(error, escaped=True)
            after.end()

    def end(self) -> None:
        """End the span and hand it over. Only the first call counts."""
        if self._done:
            return
        self._done = True
        r = _queue.Span()
        r.rank = ERROR if self._failed else WARN
        c = self.context
        r.trace, r.span, r.parent, r.state = c.trace, c.span, self._parent, c.state
        r.time = self._start
        r.end = self._start + max(0, time.perf_counter_ns() - self._monotonic)
        r.kind, r.name, r.failed, r.text = self._kind, self._name, self._failed, self._reason
        r.attributes, r.events, r.left = self._attributes, self._events, self._left
        self._client.push(r)

    def __enter__(self) -> "Span":
        self._token = current.set(self.context)
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], tb: Any) -> None:
        reset(self._token)
        if isinstance(error, Exception):
            self.error(error)
        self.end()


def reset(token: Any) -> None:
    """Take a context back, where it was set in this one."""
    try:
        current.reset(token)
    except ValueError:
        pass  # a generator or a task was ended in another context, which never had it


class NoSpan(Span):
    """What stands for a span when nothing is captured."""

    __slots__ = ()

    def __init__(self) -> None:
        self.context = Context(sampled=False)

    def set(self, name: str, value: Any) -> None:
        pass

    def rename(self, name: str) -> None:
        pass

    def fail(self, reason: str = "") -> None:
        pass

    def error(self, error: BaseException, escaped: bool = False) -> None:
        pass

    def end(self) -> None:
        pass

    def __enter__(self) -> "Span":
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], tb: Any) -> None:
        pass


NO_SPAN = NoSpan()


def span(name: str, **attributes: Any) -> Span:
    """Begin an operation inside of what runs now: ``with span("resize", width=80):``."""
    from ._client import active

    client = active()
    found = client.begin(name, INTERNAL, attributes) if client else None
    return found or NO_SPAN


