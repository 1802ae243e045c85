"""Spans, and the context that travels with a request by W3C Trace Context."""

from __future__ import annotations

import functools
import os
import re
import sys
import time
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple, Type, TypeVar

from . import _queue
from ._queue import ERROR, WARN

if TYPE_CHECKING:
    from ._client import Client

_Method = TypeVar("_Method", bound=Callable[..., Any])

INTERNAL, SERVER, CLIENT = 1, 2, 3  # as OTLP numbers kinds
MAX_ATTRIBUTES = 64
MAX_EVENTS = 16
MAX_TEXT = 16 << 10

# A tracer of OpenTelemetry's SDK has spans of this process: then there are none of ours, and traces travel by it.
elsewhere = False

_header = re.compile(r"\A([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?\Z")
_member = re.compile(r"[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]")

# Bounds of a tracestate: how many members one may have, how much of it is passed on, and which members go first.
_MOST_MEMBERS, _MOST_STATE, _LONG_MEMBER = 32, 512, 128


def trace_id() -> str:
    return os.urandom(16).hex()


def span_id() -> str:
    return os.urandom(8).hex()


def clip(s: str, most: int = MAX_TEXT) -> str:
    """Cut a text to at most so many characters."""
    return s if len(s) <= most else s[:most] + "…"


def parse_tracestate(value: str) -> str:
    """Return what is passed on of a tracestate, its headers joined by commas: "" when a member is none, or they are too many.

    Of one that is too long whole members are left out, long ones first: half a member would be another one to who wrote it.
    """
    members = []
    for part in value.split(",", 4096):
        member = part.strip(" \t")
        if not member:
            continue
        if len(members) == _MOST_MEMBERS or not _member.fullmatch(member):
            return ""
        members.append(member)
    length = sum(map(len, members)) + len(members) - 1
    for longer_than in (_LONG_MEMBER, 0):
        for at in range(len(members) - 1, -1, -1):
            if length > _MOST_STATE and len(members[at]) > longer_than:
                length -= len(members.pop(at)) + 1
    return ",".join(members)


class Context:
    """What travels between services. trace is "" when there is none."""

    __slots__ = ("own", "random", "sampled", "server", "span", "state", "trace")

    def __init__(
        self, trace: str = "", span: str = "", sampled: bool = True, state: str = "", own: bool = False, random: bool = False
    ):
        self.trace, self.span, self.sampled, self.state = trace, span, sampled, state
        self.random = random  # who began the trace says that its id is random
        self.own = own  # in production: the request is the developer's own
        self.server: Optional["Span"] = None

    def traceparent(self) -> str:
        return "00-%s-%s-0%d" % (self.trace, self.span, self.sampled + 2 * self.random)

    def below(self) -> "Context":
        """Return the context of an operation of this one that nobody records."""
        return Context(self.trace, span_id(), self.sampled, self.state, self.own, self.random)


current: ContextVar[Optional[Context]] = ContextVar("gasoline", default=None)


def parse_traceparent(value: Optional[str]) -> Optional[Context]:
    """Return what a traceparent header says, None for what is none."""
    m = _header.match(value.strip(" \t")) if value else None
    if not m:
        return None
    version, trace, span, flags, rest = m.groups()
    if version == "ff" or (version == "00" and rest) or not trace.strip("0") or not span.strip("0"):
        return None
    bits = int(flags, 16)
    return Context(trace, span, bool(bits & 1), random=bool(bits & 2))


def running() -> Optional[Context]:
    """Return the context of what runs now, None when nothing does."""
    if not elsewhere:
        return current.get()
    try:
        found = sys.modules["opentelemetry.trace"].get_current_span().get_span_context()
        if found.is_valid:
            flags = found.trace_flags
            return Context("%032x" % found.trace_id, "%016x" % found.span_id, flags.sampled, random=bool(flags & 2))
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


_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MOST_ERRORS = 64  # of those that caused an error, or are in its group


def visible(tb: Optional[TracebackType]) -> Optional[TracebackType]:
    """Return a traceback without the frames of this package."""
    while tb is not None and tb.tb_frame.f_code.co_filename.startswith(_OURS):
        tb = tb.tb_next
    at = tb
    while at is not None:
        after = at.tb_next
        while after is not None and after.tb_frame.f_code.co_filename.startswith(_OURS):
            after = after.tb_next
        if after is not at.tb_next:
            at.tb_next = after
        at = after
    return tb


def hide(error: Optional[BaseException]) -> None:
    """Take the frames of this package out of an error's tracebacks: the program prints them as without us.

    Where a wrapper lets an error go on, it calls this and then says ``raise``, which adds no frame from Python 3.11 on.
    """
    todo: List[Optional[BaseException]] = [error]
    seen: Set[int] = set()
    while todo and len(seen) < _MOST_ERRORS:
        found = todo.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        shown = visible(found.__traceback__)
        if shown is not found.__traceback__:
            found.__traceback__ = shown
        todo.extend((found.__cause__, found.__context__))
        inner = getattr(found, "exceptions", None)  # of a group
        if isinstance(inner, tuple):
            todo.extend(e for e in inner[:_MOST_ERRORS] if isinstance(e, BaseException))


def unseen(method: _Method) -> _Method:
    """Return a wrapper's method whose frames, and those that it calls here, are in no traceback of the program."""

    @functools.wraps(method)
    def outer(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except BaseException as error:
            hide(error)
            raise

    return outer  # type: ignore[return-value]


_MOST_CALLERS = 40


def _callers(tb: Optional[TracebackType]) -> List[Any]:
    """Return the nearest frames that led here, without those of this package and of a traceback, the outermost first."""
    import traceback

    inner = set()
    while tb is not None:
        inner.add(tb.tb_frame)
        tb = tb.tb_next
    found: List[Tuple[Any, int]] = []
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        if len(found) == _MOST_CALLERS:
            break
        if frame not in inner and not frame.f_code.co_filename.startswith(_OURS):
            found.append((frame, line))
    return list(traceback.StackSummary.extract(reversed(found)))


def exception_attributes(
    kind: Type[BaseException], error: Optional[BaseException], tb: Optional[TracebackType], callers: bool = False
) -> Dict[str, Any]:
    """Return an exception as OpenTelemetry's attributes.

    callers: its traceback begins in this package, within a call of the program's: what led there belongs to it.
    """
    out: Dict[str, Any] = {"exception.type": type_name(error) if error else kind.__name__}
    out["exception.message"] = message_of(error) if error else ""
    try:
        import traceback

        hide(error)
        tb = visible(tb)
        told = traceback.TracebackException(kind, error, tb, limit=-50)  # type: ignore[arg-type]
        own, around = told.stack, _callers(tb) if callers else []
        while True:
            told.stack = traceback.StackSummary.from_list([*around, *own])
            text = "".join(told.format())
            if len(text) <= MAX_TEXT or not around:
                break
            around = around[len(around) // 2 + 1 :]  # the end, which says what happened, stays
        out["exception.stacktrace"] = clip(text)
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
        state, own, random = (parent.state, parent.own, parent.random) if parent else ("", False, False)
        self.context = Context(trace, span_id(), True, state, own, random)
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
        """Record an exception and mark the span as failed. escaped: nobody in the program caught it.

        What failed as a client has the place that asked, too: the program may catch the error before any traceback has it.
        """
        self.fail(message_of(error))
        if len(self._events) >= MAX_EVENTS:
            self._left += 1
            return
        attributes = exception_attributes(type(error), error, error.__traceback__, callers=self._kind == CLIENT)
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


