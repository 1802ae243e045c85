"""Records of logging, and errors that nobody caught."""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any, Dict, Optional

from . import _client, _trace
from ._queue import DEBUG, ERROR, INFO, WARN, Record

_FIELDS = len(vars(logging.makeLogRecord({})))
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_installed = False
_MAX_MESSAGE = 64 << 10
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
        context = _trace.running()
        if client.production and not client.admits(context):
            if record.levelno < logging.ERROR or not client.error_passes():
                return
        client.push(_record(record, context))
    except Exception:
        pass  # logging itself says what is wrong with the program's record


def _record(record: logging.LogRecord, context: Optional[_trace.Context]) -> Record:
    r = Record()
    level = record.levelno
    if level >= logging.ERROR:
        r.rank, r.severity = ERROR, 21 if level >= logging.CRITICAL else 17
    elif level >= logging.WARNING:
        r.rank, r.severity = WARN, 13
    elif level >= logging.INFO:
        r.rank, r.severity = INFO, 9
    else:
        r.rank, r.severity = DEBUG, 5 if level >= logging.DEBUG else 1
    r.level, r.scope = record.levelname, record.name
    r.time = int(record.created * 1e9)
    text = record.getMessage()
    r.text = text if len(text) <= _MAX_MESSAGE else _trace.clip(text, _MAX_MESSAGE)
    attributes: Dict[str, Any] = {"code.file.path": record.pathname, "code.line.number": record.lineno}
    if len(record.__dict__) > _FIELDS:
        for key, value in record.__dict__.items():
            if key not in _STANDARD:
                if len(attributes) < _trace.MAX_ATTRIBUTES:
                    attributes[key] = plain(value)
                else:
                    r.left += 1
    if record.exc_info and record.exc_info[0]:
        attributes.update(_trace.exception_attributes(*record.exc_info))
    r.attributes = attributes
    if context is not None and context.trace:
        r.trace, r.span = context.trace, context.span
    return r


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
    r = Record()
    r.rank, r.severity, r.level, r.scope = ERROR, 21, "FATAL", "gasoline"
    r.time = time.time_ns()
    r.attributes = _trace.exception_attributes(kind, error, tb)
    r.attributes["gasoline.mechanism"] = mechanism
    r.attributes["exception.escaped"] = True
    r.text = "%s: %s" % (r.attributes["exception.type"], r.attributes["exception.message"])
    if context is not None and context.trace:
        r.trace, r.span = context.trace, context.span
    client.push(r)


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
            uncaught(kind, error, tb, "excepthook")
            _client.flush()
        except Exception:
            pass
        before(kind, error, tb)

    sys.excepthook = excepthook
    before_thread = threading.excepthook

    def thread_excepthook(args: Any) -> None:
        try:
            uncaught(args.exc_type, args.exc_value, args.exc_traceback, "threading.excepthook")
        except Exception:
            pass
        before_thread(args)

    threading.excepthook = thread_excepthook
