"""Records of logging, and errors that nobody caught."""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any, Dict, Optional

from . import _client, _trace
from ._queue import DEBUG, ERROR, INFO, WARN, Log, Queue

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_LATER = frozenset(("message", "asctime", "exc_text"))  # a formatter sets them, after what the program gave
_new = tuple.__new__  # a third of what Log(...) takes
_installed = False
_MAX_MESSAGE = 64 << 10
_MOST = _trace.MAX_ATTRIBUTES - 2  # beside where the code is
_PLAIN = (str, int, float, bool, type(None), bytes)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value that nobody changes: lists and dicts of plain values, else its text."""
    if isinstance(value, str):
        return _trace.clip(value)
    if isinstance(value, bytes):
        return value[: _trace.MAX_TEXT]
    if isinstance(value, _PLAIN):
        return value
    if depth < 4:
        if isinstance(value, (list, tuple)):
            return [plain(v, depth + 1) for v in value[:64]]
        if isinstance(value, dict):
            return {str(k): plain(v, depth + 1) for k, v in list(value.items())[:64]}
    try:
        return _trace.clip(str(value))
    except Exception:
        return "(its text cannot be made)"


def capture(record: logging.LogRecord) -> None:
    """Hand a record of logging over. It never raises."""
    client = _client.active()
    if client is None:
        return
    try:
        if record.exc_info and record.exc_info[1] is not None:
            kind, error, tb = record.exc_info
            _trace.hide(error)
            shown = _trace.visible(tb)
            if shown is not tb:
                record.exc_info = kind, error, shown
        context = _trace.running()
        if client.queue.full and _skips(client.queue, record, context):
            return
        if client.production and not client.admits(context):
            if record.levelno < logging.ERROR or not client.error_passes():
                return
        client.push(_record(record, context))
    except Exception:
        pass  # logging itself says what is wrong with the program's record


def _skips(queue: Queue, record: logging.LogRecord, context: Optional[_trace.Context]) -> bool:
    return queue.skips(_rank(record.levelno), context.trace if context is not None else "")


def _rank(level: int) -> int:
    return INFO if 20 <= level < 30 else DEBUG if level < 20 else WARN if level < 40 else ERROR


def _record(record: logging.LogRecord, context: Optional[_trace.Context]) -> Log:
    level = record.levelno
    rank = _rank(level)
    text = record.getMessage()
    if len(text) > _MAX_MESSAGE:
        text = _trace.clip(text, _MAX_MESSAGE)
    attributes: Optional[Dict[str, Any]] = None
    left = 0
    fields = record.__dict__
    for key in reversed(fields):  # what the program gave comes last
        if key in _STANDARD:
            if key in _LATER:
                continue
            break
        if attributes is None:
            attributes = {}
        if len(attributes) < _MOST:
            attributes[key] = plain(fields[key])
        else:
            left += 1
    if record.exc_info and record.exc_info[0]:
        attributes = {} if attributes is None else attributes
        attributes.update(_trace.exception_attributes(*record.exc_info))
    trace = span = ""
    if context is not None and context.trace:
        trace, span = context.trace, context.span
    return _new(Log, (
        rank, record.created, level, record.levelname, record.name, text, record.pathname, record.lineno, attributes, left,
        trace, span,
    ))


class Handler(logging.Handler):
    """A handler of logging, for programs that start with instrument=False. Otherwise it does nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        if not _installed:
            capture(record)


def uncaught(kind: Any, error: Any, tb: Any, mechanism: str) -> None:
    """Hand over an error that nobody caught."""
    client = _client.active()
    if client is None or not issubclass(kind, Exception):
        return
    context = _trace.running()
    if client.production and not client.admits(context) and not client.error_passes():
        return
    attributes = _trace.exception_attributes(kind, error, tb)
    attributes["gasoline.mechanism"] = mechanism
    attributes["exception.escaped"] = True
    text = "%s: %s" % (attributes["exception.type"], attributes["exception.message"])
    trace, span = (context.trace, context.span) if context is not None and context.trace else ("", "")
    client.push(Log(ERROR, time.time(), logging.CRITICAL, "FATAL", "gasoline", text, "", 0, attributes, 0, trace, span))


_others: Optional[type] = None  # OpenTelemetry's handler of logging, which sends what it gets


def patch_opentelemetry(module: Any) -> None:
    """Leave what a handler of OpenTelemetry's SDK gets to it."""
    global _others
    _others = module.LoggingHandler


def _sent_by_another(logger: Any, kind: type) -> bool:
    while logger is not None:
        if any(isinstance(handler, kind) for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def install() -> None:
    """See every record of every logger, also of those that do not propagate, and what nobody caught.

    asyncio tells of its tasks' lost errors by logging.
    """
    global _installed
    _installed = True
    inner = logging.Logger.callHandlers

    def callHandlers(self: logging.Logger, record: logging.LogRecord) -> None:
        if _others is None or not _sent_by_another(self, _others):
            capture(record)
        return inner(self, record)

    logging.Logger.callHandlers = callHandlers  # type: ignore[method-assign]

    before = sys.excepthook

    def excepthook(kind: Any, error: Any, tb: Any) -> None:
        try:
            _trace.hide(error)
            tb = _trace.visible(tb)
            uncaught(kind, error, tb, "excepthook")
            _client.flush_at_end()
        except Exception:
            pass
        before(kind, error, tb)

    sys.excepthook = excepthook
    before_thread = threading.excepthook

    def thread_excepthook(args: Any) -> None:
        try:
            _trace.hide(args.exc_value)
            uncaught(args.exc_type, args.exc_value, args.exc_traceback, "threading.excepthook")
        except Exception:
            pass
        before_thread(args)

    threading.excepthook = thread_excepthook
